import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import type { RefusalCode, RefusalKind } from '@penstock/contracts';
import type { Parameter } from './parameters';

/** An error of one operation, in the words and of the kind of the table unless said otherwise. */
export interface RefusalOf {
  readonly code: RefusalCode;
  readonly kind?: RefusalKind;
  readonly message?: string;
}

/** What the document says of an operation beside what guards, interceptors and bodies say by themselves. */
export interface Description {
  /** A few words; they are the operation's id too. */
  readonly summary: string;
  readonly description?: string;
  /** Name of the component that is answered; absent: no body. */
  readonly answer?: string;
  /** Parameters of the query. */
  readonly query?: readonly Parameter[];
  /** A GET says which version it answers; PUT and DELETE can be told which one is meant. */
  readonly isVersioned?: boolean;
}

export const DESCRIPTION = 'penstock:description';
export const REFUSALS_OF = 'penstock:refusals';
export const TAG = 'penstock:tag';

/** Puts the handler into the API's document. */
export const Describe = (
  summary: string,
  more: Omit<Description, 'summary'> = {},
): CustomDecorator => SetMetadata(DESCRIPTION, { summary, ...more } satisfies Description);

/** The errors of an operation that not every operation has. */
export const Refuses = (...refusals: readonly (RefusalCode | RefusalOf)[]): CustomDecorator =>
  SetMetadata(
    REFUSALS_OF,
    refusals.map((refusal): RefusalOf =>
      typeof refusal === 'string' ? { code: refusal } : refusal,
    ),
  );

/** Under which heading the operations of a controller stand. */
export const Tagged = (tag: string): ClassDecorator => SetMetadata(TAG, tag);
