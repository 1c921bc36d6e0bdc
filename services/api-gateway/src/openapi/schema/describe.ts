import { applyDecorators, type CustomDecorator, SetMetadata } from '@nestjs/common';
import {
  type DeclaredRefusal,
  type OperationName,
  OPERATIONS,
  type RefusalCode,
} from '@penstock/contracts';
import { Needs } from '../../auth/access';
import { AT, DRY_RUN, type Parameter } from './parameters';

/** Description of an operation for the document, besides what guards, interceptors and bodies declare. */
export interface Description {
  /** A few words, from which the operation id is built. */
  readonly summary: string;
  readonly description?: string;
  /** Name of the component in the answer; absent: no body. */
  readonly answer?: string;
  /** Whether the answer is a stream of server-sent events, which the component describes. */
  readonly isStream?: boolean;
  /** Parameters of the query. */
  readonly query?: readonly Parameter[];
  /** Headers that only this operation reads. */
  readonly headers?: readonly Parameter[];
  /** Whether a GET answers with a version, and PUT and DELETE accept an expected one. */
  readonly isVersioned?: boolean;
}

export const DESCRIPTION = 'penstock:description';
export const REFUSALS_OF = 'penstock:refusals';
export const TAG = 'penstock:tag';
export const OPERATION = 'penstock:operation';

/** Adds the handler to the API's document. */
export const Describe = (
  summary: string,
  more: Omit<Description, 'summary'> = {},
): CustomDecorator => SetMetadata(DESCRIPTION, { summary, ...more } satisfies Description);

/** Declares errors of an operation that not every operation has. */
export const Refuses = (...refusals: readonly (RefusalCode | DeclaredRefusal)[]): CustomDecorator =>
  SetMetadata(
    REFUSALS_OF,
    refusals.map((refusal): DeclaredRefusal =>
      typeof refusal === 'string' ? { code: refusal } : refusal,
    ),
  );

/** Description of a handler that performs a declared operation. */
type Performed = Omit<Description, 'summary' | 'isVersioned'> & {
  /** Operation that is performed instead when the parameter `at` is present. */
  readonly asOf?: OperationName;
  /** Operations that it performs besides; they need no other scope. */
  readonly also?: readonly OperationName[];
};

/** Binds the handler to an operation, whose declaration gives scope, refusals, version and dry run. */
export const Performs = (
  name: OperationName,
  summary: string,
  { asOf, also = [], query = [], ...more }: Performed = {},
): MethodDecorator => {
  const { isVersioned, hasDryRun, scope } = OPERATIONS[name];
  const refusals = [name, ...also].flatMap((each) => OPERATIONS[each].refusals);
  const ofOperation = [...(asOf === undefined ? [] : [AT]), ...(hasDryRun ? [DRY_RUN] : [])];
  return applyDecorators(
    Describe(summary, { ...more, query: [...query, ...ofOperation], isVersioned }),
    Refuses(...refusals),
    Needs(scope),
    SetMetadata(OPERATION, [name, ...(asOf === undefined ? [] : [asOf]), ...also]),
  );
};

/** Sets the heading for the operations of a controller. */
export const Tagged = (tag: string): ClassDecorator => SetMetadata(TAG, tag);
