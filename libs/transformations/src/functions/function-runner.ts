import type { RecordValue } from '@penstock/schema';
import type { Purpose } from '../mapping/purpose';
import type { RecordFailure } from './values/record-failure';
import type { FunctionSchemas, TransformationFunction } from './values/transformation-function';

/** Records of one function, for one purpose. */
export interface FunctionBatch {
  /**
   * `<workspace>/<the version of a pipeline, or a preview>`. Batches of different texts never share any state; batches
   * of one text run one after the other. Turns are shared fairly by what stands before the first `/`.
   */
  readonly isolation: string;
  readonly definition: TransformationFunction;
  readonly schemas: FunctionSchemas;
  readonly purpose: Purpose;
  /** Somebody tries the function: no further batch will come, and failures say what was given. Default false. */
  readonly once?: boolean;
}

/** How a batch is run. */
export interface FunctionRunOptions {
  /**
   * Fires when nobody waits for the results any more: a batch that waits for its turn is not begun then, and the
   * instance of one that runs is ended.
   */
  readonly signal?: AbortSignal | undefined;
}

/** How a source is evaluated. */
export interface FunctionCompileOptions extends FunctionRunOptions {
  /** Whose source it is: turns are shared fairly by workspace. Default: nobody's. */
  readonly workspace?: string;
}

/** What became of a batch. */
export interface FunctionResult {
  /** In the order of the records that were given. */
  readonly records: readonly (RecordValue | RecordFailure)[];
  /** The first 32 KiB that the function wrote to its console; nothing of an instance that had to be ended. */
  readonly console: string;
}

/**
 * Runs functions of users in a process apart. One for each process of ours.
 *
 * Workspaces take turns: none has more than half of the places while another waits. A function that has timed out three
 * times in a row pauses before each further turn, 1 s at first and up to 30 s, until it ends in time. Abstract class: the
 * port and its DI token in one.
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
   * Transforms records. What fails is a value among the results; it never fails another record.
   *
   * @throws SandboxUnavailable: no record was lost or failed by it; or the signal's reason, at once when it fires.
   */
  abstract run(
    batch: FunctionBatch,
    records: readonly RecordValue[],
    options?: FunctionRunOptions,
  ): Promise<FunctionResult>;
  /** Ends the sandbox. What is under way rejects. */
  abstract close(): Promise<void>;
}
