/**
 * SQL: the other sessions that hold an advisory lock of this database.
 *
 * @param key SQL of the lock.
 */
export const lockHolders = (key: string): string => `
  SELECT pid FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (classid::bigint << 32) | objid::bigint = ${key}`;
