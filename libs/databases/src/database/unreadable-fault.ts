import { DatabaseFault } from './database-fault';

/** What it means that a driver, or a look before it, has failed on what a server has sent. */
export const unreadableFault = (error: unknown): DatabaseFault =>
  error instanceof DatabaseFault
    ? error
    : new DatabaseFault('Unreachable', 'what the database server has sent cannot be read', {
        cause: error,
      });
