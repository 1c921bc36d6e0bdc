import { DatabaseError } from 'pg';
import { CommitRefused } from '../../router-store';

/** Of a row that no table of a partitioned one takes. */
const CHECK_VIOLATION = '23514';
/** Bad data, broken constraints, and limits of the server that a value exceeds. */
const REFUSALS = /^(22|23|54)/;

const codeOf = (error: unknown): string =>
  error instanceof DatabaseError ? (error.code ?? '') : '';

/** The present hour or day has no slice yet. No table of the router has a check of its own. */
export const isMissingSlice = (error: unknown): boolean => codeOf(error) === CHECK_VIOLATION;

/** The database refuses a value, and would again. */
export const isRefusal = (error: unknown): boolean =>
  REFUSALS.test(codeOf(error)) && !isMissingSlice(error);

/** A refusal becomes {@link CommitRefused} with its cause; everything else stays as it is. */
export const asCommitError = (error: unknown): unknown =>
  isRefusal(error)
    ? new CommitRefused('the database refuses values of a commit', { cause: error })
    : error;
