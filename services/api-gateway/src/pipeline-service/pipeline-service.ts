import type { Commands, Queries } from '@penstock/contracts';
import type { Caller } from '../auth/caller';

/** Who sends a request, and how. */
export interface RequestMetadata {
  readonly caller: Caller;
  readonly requestId: string;
  /** The version that the caller expects; absent: any. */
  readonly expectedVersion?: number | undefined;
  /** Prefix for the ids of the request's commands, set with an `Idempotency-Key`; absent: commands get random ids. */
  readonly commandId?: string | undefined;
  /** Whether commands are dry runs. Default: no. */
  readonly isDryRun?: boolean | undefined;
  /** Gives a signal that fires when the caller does not wait for the answer any more; absent: never. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/**
 * Sends commands and queries to the pipeline service, the owner of the configuration, and to the event routers what they
 * answer.
 *
 * Both methods reject with a `Refusal` when a rule refuses, and with `HttpRefusal` ServiceUnavailable when there is no
 * answer in time.
 */
export abstract class PipelineService {
  /**
   * Executes a command. Resolves once this process has applied the change too, so that its next reads and accepted
   * events are subject to it. A dry run changes nothing and is not waited for.
   *
   * @param about id of the changed object: requests about one object are handled in order.
   */
  abstract execute<Name extends keyof Commands>(
    name: Name,
    about: string,
    command: Commands[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Commands[Name]['out']>;

  /** @param about id of the object that is read; of the workspace for a list. */
  abstract query<Name extends keyof Queries>(
    name: Name,
    about: string,
    query: Queries[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Queries[Name]['out']>;
}
