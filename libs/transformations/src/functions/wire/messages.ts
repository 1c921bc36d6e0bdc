import type { InputPlan } from '../values/input-plan';
import type { FunctionLanguage } from '../values/transformation-function';

/** What a language engine gets before the first record. */
export interface Program {
  readonly language: FunctionLanguage;
  readonly source: string;
  readonly plan: InputPlan | null;
}

/** Records for a function, in order. */
export interface Batch {
  /** Batches with the same text share an instance, and never run concurrently. */
  readonly instance: string;
  /** Workspace of the batch, by which memory is shared fairly, too. */
  readonly workspace: string;
  readonly program: Program;
  readonly timeLimitMs: number;
  /** Whether the instance is closed after the batch. */
  readonly once: boolean;
}

/** From the service to the sandbox. The body of the frame contains the packed JSON texts of the records. */
export interface BatchRequest extends Batch {
  readonly id: number;
}

/** Cancels a batch by ending its instance. The sandbox reports the end of the batch as usual. */
export interface Cancellation {
  readonly cancelled: number;
}

/** Why an instance ended before its batch did. */
export type Cause = 'time' | 'memory' | 'ended';

/** Why a source defines no function. Lines and columns count from 1; 0 when unknown. */
export interface Refusal {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** The function's answer for one record: the JSON text of its result, or the text of its error. */
export type Answer =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string };

/** First letter of an answer between the processes; the text follows. */
export const ANSWER_LETTERS = { result: 'R', error: 'E' } as const;

/** End of a batch; without a cause or a refusal, all of its records are answered. */
export interface BatchEnd {
  readonly kind: 'end';
  readonly cause?: Cause;
  readonly refusal?: Refusal;
  /** Whether the instance ended before the module had been evaluated. */
  readonly loading?: boolean;
  /** Console output of the function. */
  readonly console: string;
}

/** The next answers of a batch, in the order of the records. The body of the frame contains them, packed. */
interface Answers {
  readonly kind: 'answers';
}

/** Belongs to no batch: an engine has started, so the process is able to run functions. */
interface Ready {
  readonly kind: 'ready';
}

/** From the sandbox to the service. */
export type Reply = { readonly id: number } & (Answers | BatchEnd | Ready);
