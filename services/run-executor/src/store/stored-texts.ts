import { cleanText } from './clean-text';

/** UTF-16 units of why a run has failed. */
const MAX_ERROR_LENGTH = 10_000;

const MAX_WARNINGS = 100;
/** UTF-16 units of one of them. */
const MAX_WARNING_LENGTH = 1_000;

const beginning = (text: string, most: number): string => cleanText(text.slice(0, most));

/** Why a run has failed, as it is kept: PostgreSQL accepts it, and the log takes the fact that says so. */
export const storedError = (error: string): string => beginning(error, MAX_ERROR_LENGTH);

/** The same of warnings: the first hundred, and how many others there were. */
export const storedWarnings = (warnings: readonly string[]): readonly string[] => {
  const others = warnings.length - MAX_WARNINGS;
  const kept = warnings.slice(0, MAX_WARNINGS).map((each) => beginning(each, MAX_WARNING_LENGTH));
  if (others <= 0) return kept;
  return [...kept, others === 1 ? 'and 1 other warning' : `and ${String(others)} other warnings`];
};
