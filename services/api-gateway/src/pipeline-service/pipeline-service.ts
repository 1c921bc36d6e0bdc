import type { Commands, Queries, SafeRetries } from '@penstock/contracts';
import type { Caller } from '../auth/caller';

/** Who asks, and under what circumstances. */
export interface RequestMetadata {
  readonly caller: Caller;
  readonly requestId: string;
  /** The version that the caller has seen; absent: any. */
  readonly expectedVersion?: number | undefined;
  /** What the commands of a request that may be repeated are called by; absent: it is not repeated. */
  readonly commandId?: string | undefined;
}

/** What is asked and answered without a change of the configuration. */
export type Questions = Queries & SafeRetries;

type CommandIn<Name extends keyof Commands> = Commands[Name]['in'];
type CommandOut<Name extends keyof Commands> = Commands[Name]['out'];
type QuestionIn<Name extends keyof Questions> = Questions[Name]['in'];
type QuestionOut<Name extends keyof Questions> = Questions[Name]['out'];

/**
 * What the gateway may ask of the one who owns the configuration.
 *
 * Both methods reject with a `Refusal` when a rule says no, and with `HttpRefusal` ServiceUnavailable when there is
 * no answer in time.
 */
export abstract class PipelineService {
  /**
   * Resolves once this process has seen the change too, so that what it reads and accepts next meets it.
   *
   * @param about id of the object that is changed: its requests are handled in their order.
   */
  abstract execute<Name extends keyof Commands>(
    name: Name,
    about: string,
    command: CommandIn<Name>,
    metadata: RequestMetadata,
  ): Promise<CommandOut<Name>>;

  /** @param about id of the object that is looked at; of the workspace for a list. */
  abstract ask<Name extends keyof Questions>(
    name: Name,
    about: string,
    question: QuestionIn<Name>,
    metadata: RequestMetadata,
  ): Promise<QuestionOut<Name>>;
}
