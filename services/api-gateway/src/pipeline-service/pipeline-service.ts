import type { Commands, Queries } from '@penstock/contracts';
import type { Caller } from '../auth/caller';

/** Who asks, and under what circumstances. */
export interface RequestMetadata {
  readonly caller: Caller;
  readonly requestId: string;
  /** The version that the caller has seen; absent: any. */
  readonly expectedVersion?: number | undefined;
  /** What the commands of a request that may be repeated are called by; absent: it is not repeated. */
  readonly commandId?: string | undefined;
  /** Whether commands are only tried; absent: no. */
  readonly isDryRun?: boolean | undefined;
  /** Gives a signal that fires when the caller does not wait for the answer any more; absent: never. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/**
 * What the gateway may ask of the one who owns the configuration.
 *
 * Both methods reject with a `Refusal` when a rule says no, and with `HttpRefusal` ServiceUnavailable when there is
 * no answer in time.
 */
export abstract class PipelineService {
  /**
   * Resolves once this process has seen the change too, so that what it reads and accepts next meets it. A command that is
   * only tried leaves nothing to be seen.
   *
   * @param about id of the object that is changed: its requests are handled in their order.
   */
  abstract execute<Name extends keyof Commands>(
    name: Name,
    about: string,
    command: Commands[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Commands[Name]['out']>;

  /** @param about id of the object that is looked at; of the workspace for a list. */
  abstract query<Name extends keyof Queries>(
    name: Name,
    about: string,
    query: Queries[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Queries[Name]['out']>;
}
