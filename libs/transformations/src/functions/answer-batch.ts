import { keptConsole } from './wire/console-text';
import type { Answer, BatchEnd, Cause } from './wire/messages';

/** An instance that had to be replaced this often in one batch runs the rest record by record. */
const MAX_RESTARTS = 10;

/** What became of one record: what the function answered, or what ended its instance. */
export type Outcome = Answer | { readonly kind: 'ended'; readonly cause: Cause };

/** Runs some records in order, each answered once, until all are or the instance ends. */
export type Attempt = (
  records: readonly string[],
  answer: (answer: Answer) => void,
) => Promise<BatchEnd>;

/** Nothing can be run at all: the source gives no function, or its evaluation ends the instance. */
export type NotLoaded = Pick<BatchEnd, 'refusal' | 'cause'>;

export interface BatchOutcome {
  readonly outcomes: readonly Outcome[];
  readonly console: string;
}

/**
 * Answers every record of a batch. The record at which an instance ended gets the cause, those before keep what
 * they have, and the rest is run again in another instance, or fails with it when that gives no function any more.
 */
export const answerBatch = async (
  records: readonly string[],
  attempt: Attempt,
): Promise<BatchOutcome | NotLoaded> => {
  const outcomes: Outcome[] = [];
  let console = '';
  for (let restarts = 0; outcomes.length < records.length;) {
    const size = restarts < MAX_RESTARTS ? records.length : 1;
    const some = records.slice(outcomes.length, outcomes.length + size);
    const all = outcomes.length + some.length;
    const end = await attempt(some, (answer) => outcomes.push(answer));
    console = keptConsole(console + end.console);
    if (end.refusal ?? (end.cause && end.loading)) {
      if (outcomes.length === 0) return end;
      outcomes.push(...records.slice(outcomes.length).map(() => notRun(end)));
    }
    if (!end.cause) continue;
    restarts += 1;
    if (outcomes.length < all) outcomes.push({ kind: 'ended', cause: end.cause });
  }
  return { outcomes, console };
};

const notRun = ({ refusal, cause = 'ended' }: NotLoaded): Outcome =>
  refusal ? { kind: 'error', text: refusal.text } : { kind: 'ended', cause };
