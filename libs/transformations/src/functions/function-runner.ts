import type { RecordValue } from '@penstock/schema';
import type { Purpose } from '../mapping/purpose';
import type { RecordFailure } from './values/record-failure';
import type { FunctionSchemas, TransformationFunction } from './values/transformation-function';

/** Records for one function, with a purpose. */
export interface FunctionBatch {
  /**
   * `<workspace>/<the version of a pipeline, or a preview>`. Batches with different texts never share state; batches
   * with the same text run one after the other. Turns are shared fairly by the part before the first `/`.
   */
  readonly isolation: string;
  readonly definition: TransformationFunction;
  readonly schemas: FunctionSchemas;
  readonly purpose: Purpose;
  /** A trial: no further batch follows, and failures contain the result of the function. Default false. */
  readonly once?: boolean;
}

/** Options of one run. */
export interface FunctionRunOptions {
  /** Cancels the batch: it is not started if it still waits for its turn; otherwise its instance is ended. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of evaluating a source. */
export interface FunctionCompileOptions extends FunctionRunOptions {
  /** The workspace of the source, by which turns are shared fairly. Default: none. */
  readonly workspace?: string;
}

/** The result of a batch. */
export interface FunctionResult {
  /** In the order of the records. */
  readonly records: readonly (RecordValue | RecordFailure)[];
  /** The first 32 KiB of console output; without the output of an instance that had to be ended. */
  readonly console: string;
}

/**
 * Of the circuit of a function: `open` after three time-outs in a row, `closed` when its last turn ended by itself,
 * else `unknown`.
 */
export type CircuitState = 'open' | 'closed' | 'unknown';

/**
 * Runs user functions in a separate process. One runner per process of ours.
 *
 * Workspaces take turns: none has more than half of the places while another waits. A function that has timed out three
 * times in a row pauses before each further turn, 1 s at first and up to 30 s, until it ends in time. Abstract class:
 * the port and its DI token in one.
 */
export abstract class FunctionRunner {
  /**
   * Evaluates a source without any record.
   *
   * @throws FunctionRefused, SandboxUnavailable, or the signal's reason.
   */
  abstract compile(
    definition: TransformationFunction,
    schemas: FunctionSchemas,
    options?: FunctionCompileOptions,
  ): Promise<void>;
  /**
   * Transforms records. A failure is a value among the results and never affects another record.
   *
   * @throws SandboxUnavailable, in which case no record has been lost or failed; or the signal's reason as soon as it
   *   is aborted.
   */
  abstract run(
    batch: FunctionBatch,
    records: readonly RecordValue[],
    options?: FunctionRunOptions,
  ): Promise<FunctionResult>;
  /** What this process knows of the circuit of a function. */
  abstract circuitOf(batch: FunctionBatch): CircuitState;
  /** Ends the sandbox. Runs in progress reject. */
  abstract close(): Promise<void>;
}
