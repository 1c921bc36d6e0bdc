import { escapeLiteral } from 'pg';
import { RAISED } from '../layout/raised';
import { LOCK } from '../layout/lock';

const BUSY = Object.entries(RAISED).find(([, kind]) => kind === 'busy')?.[0] ?? '';

/**
 * A process that freezes within the transaction holds its locks no longer. Source: as for changes of the schema of profiles.
 */
const IDLE_MS = 10_000;

/** Rows that are sorted or hashed in memory. */
const WORK_MEM = '64MB';

/**
 * The first statements of a transaction of a resolution: they fail at once while the schema of profiles is changed or the
 * warehouse repaired, keep both from beginning until the transaction ends, and check whether the writer may write. They do
 * not keep each other out.
 */
export const beginChanging = (schema: string, guard: string): readonly string[] => [
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
  `SET LOCAL work_mem = '${WORK_MEM}'`,
  'SET LOCAL jit = off',
  `DO ${escapeLiteral(`BEGIN
     IF NOT pg_try_advisory_xact_lock_shared(${LOCK.replace('$1', escapeLiteral(schema))}) THEN
       RAISE EXCEPTION USING ERRCODE = '${BUSY}', MESSAGE = 'is being repaired or its schema of profiles is changed';
     END IF; END`)}`,
  guard,
];
