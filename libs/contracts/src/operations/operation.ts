import type { Scope } from '../organization.facts';
import type { RefusalCode, RefusalKind } from '../refusals';

/** Nothing goes in, or comes out. */
export type Nothing = Record<never, never>;

/** A refusal that one operation gives, in the words and of the kind of {@link REFUSALS} unless said otherwise. */
export interface DeclaredRefusal {
  readonly code: RefusalCode;
  readonly kind?: RefusalKind;
  readonly message?: string;
}

/** What is said of an operation beside its input and output. */
export interface OperationTraits<In> {
  /**
   * What it is refused with, beside what any may be: `BadRequest`, `Conflict`, `OrganizationDisabled`, `ServiceUnavailable`
   * and, where it acts on a workspace, `WorkspaceNotExist`.
   */
  readonly refusals?: readonly (RefusalCode | DeclaredRefusal)[];
  /** Scope that the API key needs; default: `read` for a query, `write` for a command. */
  readonly scope?: Scope;
  /** Whether the object has a version that is answered (`ETag`) and can be asked for (`If-Match`). Default: no. */
  readonly isVersioned?: boolean;
  /**
   * Whether it waits for an application, a warehouse or a function, so that it holds up nothing else and may take
   * {@link SLOW_OPERATION_MS}. Default: no.
   */
  readonly isSlow?: (input: In) => boolean;
}

/** A declared operation; `types` has no value. */
export interface Operation<Kind extends 'command' | 'query', In, Out> {
  readonly kind: Kind;
  readonly refusals: readonly DeclaredRefusal[];
  readonly scope: Scope;
  readonly isVersioned: boolean;
  readonly isSlow: (input: In) => boolean;
  readonly types?: { readonly in: In; readonly out: Out };
}

const never = (): boolean => false;

/** Of every input. */
export const always = (): boolean => true;

const declared = <Kind extends 'command' | 'query', In, Out>(
  kind: Kind,
  traits: OperationTraits<In>,
): Operation<Kind, In, Out> => {
  const { refusals = [], isVersioned = false, isSlow = never } = traits;
  return {
    kind,
    refusals: refusals.map((each) => (typeof each === 'string' ? { code: each } : each)),
    scope: traits.scope ?? (kind === 'query' ? 'read' : 'write'),
    isVersioned,
    isSlow,
  };
};

/** Declares an operation that changes the configuration, once for each command id. */
export const command = <In, Out = Nothing>(
  traits: OperationTraits<In> = {},
): Operation<'command', In, Out> => declared('command', traits);

/** Declares an operation that changes nothing. */
export const query = <In, Out>(traits: OperationTraits<In> = {}): Operation<'query', In, Out> =>
  declared('query', traits);
