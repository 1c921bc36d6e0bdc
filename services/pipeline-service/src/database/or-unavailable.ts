import { unavailable } from '../command-handling/unavailable';
import { isDatabaseAway } from './is-database-away';

/** For what nobody would wait for if it were tried again. @throws Refusal ServiceUnavailable when the database is away */
export const orUnavailable = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
  }
};
