import type { Client } from 'pg';
import { LOCK, REPAIR_LOCK } from '../layout/lock';
import { lockHolders } from '../layout/lock-holders';

/** A repair holds the lock of the warehouse, too. */
const TERMINATE = `
SELECT pg_terminate_backend(pid)
  FROM (${lockHolders(LOCK)} EXCEPT ${lockHolders(REPAIR_LOCK)}) AS changing`;

/** Ends the session that changes the schema of profiles, whichever process it is of: nothing was changed then. */
export const interruptChange = async (client: Client, schema: string): Promise<void> => {
  await client.query(TERMINATE, [schema]);
};
