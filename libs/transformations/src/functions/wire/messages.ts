import type { InputPlan } from '../values/input-plan';
import type { FunctionLanguage } from '../values/transformation-function';

/** What a language engine is given before the first record. */
export interface Program {
  readonly language: FunctionLanguage;
  readonly source: string;
  readonly plan: InputPlan | null;
}

/** Records for a function, in order. */
export interface Batch {
  /** Batches with the same text share an instance, and never are under way together. */
  readonly instance: string;
  /** Whose batch it is: memory is shared fairly by workspace, too. */
  readonly workspace: string;
  readonly program: Program;
  readonly timeLimitMs: number;
  /** The instance goes away after the batch. */
  readonly once: boolean;
}

/** From the service to the sandbox. The body of the frame holds the JSON texts of the records, packed. */
export interface BatchRequest extends Batch {
  readonly id: number;
}

/** Nobody waits for a batch any more: its instance is ended. The sandbox says how the batch ended as for any other. */
export interface Cancellation {
  readonly cancelled: number;
}

/** Why an instance ended before its batch did. */
export type Cause = 'time' | 'memory' | 'ended';

/** Why a source gives no function. Lines and columns count from 1; 0 when unknown. */
export interface Refusal {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** What the function made of one record: the JSON text of its result, or the text of its error. */
export type Answer =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string };

/** The first letter of an answer between the processes; the text follows. */
export const ANSWER_LETTERS = { result: 'R', error: 'E' } as const;

/** How a batch ended; without a cause or a refusal, all of its records are answered. */
export interface BatchEnd {
  readonly kind: 'end';
  readonly cause?: Cause;
  readonly refusal?: Refusal;
  /** The module had not been evaluated yet when the instance ended. */
  readonly loading?: boolean;
  /** What the function wrote to its console. */
  readonly console: string;
}

/** The next answers of a batch, in the order of the records. The body of the frame holds them, packed. */
interface Answers {
  readonly kind: 'answers';
}

/** Of no batch: an engine has started, so the process is able to run something. */
interface Ready {
  readonly kind: 'ready';
}

/** From the sandbox to the service. */
export type Reply = { readonly id: number } & (Answers | BatchEnd | Ready);
