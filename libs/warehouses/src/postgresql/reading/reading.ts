import type { SessionsUse } from '../sessions/sessions';

/** Connections for reads: a statement on them cannot write, whatever it calls. */
export const READING: Omit<SessionsUse, 'max'> = {
  // Source: the specification of the warehouse, "Writing": statement time-out of reads by the API.
  statementTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  settings: {
    default_transaction_read_only: 'on',
    // What was committed while a read waited for its lock is seen.
    default_transaction_isolation: String.raw`read\ committed`,
  },
};
