import { applyDecorators, type CustomDecorator, SetMetadata } from '@nestjs/common';
import {
  type DeclaredRefusal,
  type OperationName,
  OPERATIONS,
  type RefusalCode,
} from '@penstock/contracts';
import { Needs } from '../../auth/access';
import { AT, DRY_RUN, type Parameter } from './parameters';

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
export const OPERATION = 'penstock:operation';

/** Puts the handler into the API's document. */
export const Describe = (
  summary: string,
  more: Omit<Description, 'summary'> = {},
): CustomDecorator => SetMetadata(DESCRIPTION, { summary, ...more } satisfies Description);

/** The errors of an operation that not every operation has. */
export const Refuses = (...refusals: readonly (RefusalCode | DeclaredRefusal)[]): CustomDecorator =>
  SetMetadata(
    REFUSALS_OF,
    refusals.map((refusal): DeclaredRefusal =>
      typeof refusal === 'string' ? { code: refusal } : refusal,
    ),
  );

/** What is said of a handler that performs a declared operation. */
type Performed = Omit<Description, 'summary' | 'isVersioned'> & {
  /** What it performs instead when a time is given by `at`. */
  readonly asOf?: OperationName;
};

/** The handler performs this operation, whose declaration says scope, refusals, version and dry run. */
export const Performs = (
  name: OperationName,
  summary: string,
  { asOf, query = [], ...more }: Performed = {},
): MethodDecorator => {
  const { isVersioned, hasDryRun, refusals, scope } = OPERATIONS[name];
  const ofOperation = [...(asOf === undefined ? [] : [AT]), ...(hasDryRun ? [DRY_RUN] : [])];
  return applyDecorators(
    Describe(summary, { ...more, query: [...query, ...ofOperation], isVersioned }),
    Refuses(...refusals),
    Needs(scope),
    SetMetadata(OPERATION, asOf === undefined ? [name] : [name, asOf]),
  );
};

/** Under which heading the operations of a controller stand. */
export const Tagged = (tag: string): ClassDecorator => SetMetadata(TAG, tag);
