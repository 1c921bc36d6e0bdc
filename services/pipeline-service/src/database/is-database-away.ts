import { isDatabaseAway as isAwayFromDriver } from '@penstock/platform';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';

/** Errors of TypeORM when the session of a transaction is lost between two of its statements. */
const LOST_MEANWHILE = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Whether the database is unavailable, so that the same statement may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (LOST_MEANWHILE.some((kind) => error instanceof kind)) return true;
  return isAwayFromDriver(error instanceof QueryFailedError ? error.driverError : error);
};
