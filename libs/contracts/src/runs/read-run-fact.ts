import { isInteger, isName, objectIn } from '../foreign-json';
import type { RecordedRunFact } from './run.facts';

/**
 * Reads the value of a record of the topic `runs`.
 *
 * @returns undefined for what no run executor can have written.
 */
export const readRunFact = (value: string | null): RecordedRunFact | undefined => {
  const fact = objectIn(value);
  const { run, workspace, number } = fact;
  const isFact = isName(run) && isName(workspace) && isInteger(number) && number !== 0;
  return isFact ? (fact as unknown as RecordedRunFact) : undefined;
};
