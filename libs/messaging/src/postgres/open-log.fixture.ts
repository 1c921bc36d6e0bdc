import { PostgresMessageLog } from './postgres-message-log';

/** Opens the log in a child process of the contract's crash test. */
export const openLog = (): Promise<PostgresMessageLog> =>
  Promise.resolve(
    new PostgresMessageLog({
      connection: { connectionString: process.env['PENSTOCK_LOG_URL'] },
    }),
  );
