import { DatabaseError } from 'pg';
import { CommitRefused } from '../../router-store';

/** Raised, among others, for a row without a partition in a partitioned table. */
const CHECK_VIOLATION = '23514';
/** Classes of data exceptions, constraint violations and exceeded program limits. */
const REFUSALS = /^(22|23|54)/;

const codeOf = (error: unknown): string =>
  error instanceof DatabaseError ? (error.code ?? '') : '';

/** Whether the current hour or day has no slice yet: no table of the router has check constraints. */
export const isMissingSlice = (error: unknown): boolean => codeOf(error) === CHECK_VIOLATION;

/** Whether the database refuses a value, and would refuse it again. */
export const isRefusal = (error: unknown): boolean =>
  REFUSALS.test(codeOf(error)) && !isMissingSlice(error);

/** Wraps a refusal in {@link CommitRefused}; returns other errors unchanged. */
export const asCommitError = (error: unknown): unknown =>
  isRefusal(error)
    ? new CommitRefused('the database refuses values of a commit', { cause: error })
    : error;
