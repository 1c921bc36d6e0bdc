import type { Scope } from '../organization.facts';
import type { RefusalCode, RefusalKind } from '../refusals';

/** Nothing goes in, or comes out. */
export type Nothing = Record<never, never>;

/** A refusal of one operation, with the message and kind from {@link REFUSALS} unless given here. */
export interface DeclaredRefusal {
  readonly code: RefusalCode;
  readonly kind?: RefusalKind;
  readonly message?: string;
}

/** Declares an operation beside its input and output. */
export interface OperationTraits<In> {
  /**
   * What it is refused with, beside what any may be: `BadRequest`, `Conflict`, `OrganizationDisabled`,
   * `ServiceUnavailable` and, where it acts on a workspace, `WorkspaceNotExist`.
   */
  readonly refusals?: readonly (RefusalCode | DeclaredRefusal)[];
  /** Scope that the API key needs; default: `write` for a command, else `read`. */
  readonly scope?: Scope;
  /**
   * Whether the object has a version, which is returned (`ETag`) and can be required (`If-Match`). Default: no, as for
   * what makes an object: no version can have been seen then.
   */
  readonly isVersioned?: boolean;
  /**
   * Whether it can be tried: everything is checked and answered as if it were carried out, and nothing is recorded.
   * Default: yes for a command.
   */
  readonly hasDryRun?: boolean;
  /**
   * Whether it waits for an application, a warehouse or a function, so that it holds up nothing else and may take
   * {@link SLOW_OPERATION_MS}. Default: no.
   */
  readonly isSlow?: (input: In) => boolean;
  /** Milliseconds that it may take where it is slow. Default: {@link SLOW_OPERATION_MS}. */
  readonly limitMs?: number;
  /** Whether its input or answer holds events or users, so that both travel sealed. Default: no. */
  readonly carriesRecords?: boolean;
  /** The service that answers a query. Default: the pipeline service. */
  readonly answeredBy?: AnsweringService;
}

/** A service that answers queries; each has a topic of its own for them. */
export type AnsweringService = 'pipeline-service' | 'event-router' | 'run-executor';

/**
 * A `command` changes the configuration: the pipeline service executes it. A `query` changes nothing of it and is answered by
 * the service that its declaration names. A `read` is answered by every gateway, from its replica of the configuration.
 */
export type OperationKind = 'command' | 'query' | 'read';

/** A declared operation; `types` has no value. */
export interface Operation<Kind extends OperationKind, In, Out> {
  readonly kind: Kind;
  readonly refusals: readonly DeclaredRefusal[];
  readonly scope: Scope;
  readonly isVersioned: boolean;
  readonly hasDryRun: boolean;
  readonly isSlow: (input: In) => boolean;
  readonly limitMs: number;
  readonly carriesRecords: boolean;
  readonly answeredBy: AnsweringService;
  readonly types?: { readonly in: In; readonly out: Out };
}

/** Milliseconds that an operation that waits for an application, a warehouse or a function may take. */
export const SLOW_OPERATION_MS = 30_000;

const never = (): boolean => false;

/** Of every input. */
export const always = (): boolean => true;

const declared = <Kind extends OperationKind, In, Out>(
  kind: Kind,
  traits: OperationTraits<In>,
): Operation<Kind, In, Out> => {
  const { refusals = [], isVersioned = false, isSlow = never, carriesRecords = false } = traits;
  const { answeredBy = 'pipeline-service', limitMs = SLOW_OPERATION_MS } = traits;
  return {
    kind,
    refusals: refusals.map((each) => (typeof each === 'string' ? { code: each } : each)),
    scope: traits.scope ?? (kind === 'command' ? 'write' : 'read'),
    isVersioned,
    hasDryRun: traits.hasDryRun ?? kind === 'command',
    isSlow,
    limitMs,
    carriesRecords,
    answeredBy,
  };
};

/** Declares an operation that changes the configuration, once for each command id. */
export const command = <In, Out = Nothing>(
  traits: Omit<OperationTraits<In>, 'answeredBy'> = {},
): Operation<'command', In, Out> => declared('command', traits);

/** Declares an operation that changes nothing of the configuration; one that changes something else names a scope. */
export const query = <In, Out>(
  traits: Omit<OperationTraits<In>, 'hasDryRun'> = {},
): Operation<'query', In, Out> => declared('query', traits);

/** Declares a read of the newest configuration: as it is on the log when the request arrives, or newer. */
export const read = <In, Out>(
  traits: Omit<OperationTraits<In>, 'hasDryRun' | 'isSlow' | 'carriesRecords' | 'answeredBy'> = {},
): Operation<'read', In, Out> => declared('read', traits);
