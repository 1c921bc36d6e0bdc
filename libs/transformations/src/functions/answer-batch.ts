import { keptConsole } from './wire/console-text';
import type { Answer, BatchEnd, Cause } from './wire/messages';

/** After this many restarts in one batch the remaining records are run one by one. */
const MAX_RESTARTS = 10;

/** Outcome of one record: the function's answer, or the cause that ended its instance. */
export type Outcome = Answer | { readonly kind: 'ended'; readonly cause: Cause };

/** Runs records in order and reports each answer once, until all are answered or the instance ends. */
export type Attempt = (
  records: readonly string[],
  answer: (answer: Answer) => void,
) => Promise<BatchEnd>;

/** Nothing was run: the source defines no function, or its evaluation ends the instance. */
export type NotLoaded = Pick<BatchEnd, 'refusal' | 'cause'>;

export interface BatchOutcome {
  readonly outcomes: readonly Outcome[];
  readonly console: string;
}

/**
 * Answers every record of a batch. The record at which an instance ended gets the cause, earlier records keep their
 * answers, and the remaining ones are run in another instance; when that refuses the source, they fail with the
 * refusal.
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
