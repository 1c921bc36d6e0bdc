import { isName, isPosition, objectIn } from '../foreign-json';
import type { RecordedRunFact } from './run.facts';

/** Numbers of the facts of a run are stored in four bytes. */
const MAX_NUMBER = 2_147_483_647;

/**
 * Reads the value of a record of the topic `runs`.
 *
 * @returns undefined for what no run executor can have written.
 */
export const readRunFact = (value: string | null): RecordedRunFact | undefined => {
  const fact = objectIn(value);
  const { run, workspace, number } = fact;
  const isNumbered = isPosition(number) && Number(number) <= MAX_NUMBER;
  const isFact = isName(run) && isName(workspace) && isNumbered;
  return isFact ? (fact as unknown as RecordedRunFact) : undefined;
};
