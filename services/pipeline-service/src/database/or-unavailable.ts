import { unavailable } from '@penstock/platform';
import { isDatabaseAway } from './is-database-away';

/** Awaits a query that is not to be retried. @throws Refusal ServiceUnavailable when the database is unavailable */
export const orUnavailable = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
  }
};
