import { PostgresMessageLog } from './postgres-message-log';

/** For the contract's crash test: the log in a process of its own. */
export const openLog = (): Promise<PostgresMessageLog> =>
  Promise.resolve(
    new PostgresMessageLog({
      connection: { connectionString: process.env['PENSTOCK_LOG_URL'] },
    }),
  );
