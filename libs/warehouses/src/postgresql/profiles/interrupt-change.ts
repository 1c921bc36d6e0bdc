import type { Client } from 'pg';
import { LOCK, REPAIR_LOCK } from '../layout/lock';

/** SQL: sessions that hold an advisory lock of this database. */
const holding = (key: string): string => `
  SELECT pid FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (classid::bigint << 32) | objid::bigint = ${key}`;

/** A repair holds the lock of the warehouse, too. */
const TERMINATE = `
SELECT pg_terminate_backend(pid) FROM (${holding(LOCK)} EXCEPT ${holding(REPAIR_LOCK)}) AS changing`;

/** Ends the session that changes the schema of profiles, whichever process it is of: nothing was changed then. */
export const interruptChange = async (client: Client, schema: string): Promise<void> => {
  await client.query(TERMINATE, [schema]);
};
