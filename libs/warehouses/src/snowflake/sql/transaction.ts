import type { SnowflakeSession } from '@penstock/databases';

/**
 * Does work in one transaction, in which no object may be made or changed: that would commit it. What has failed is rolled
 * back.
 */
export const transaction = async <T>(
  session: SnowflakeSession,
  work: () => Promise<T>,
): Promise<T> => {
  await session.rows('BEGIN');
  try {
    const result = await work();
    await session.rows('COMMIT');
    return result;
  } catch (error) {
    // Where it cannot be rolled back the session is given up, which rolls back, too.
    await session.rows('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** How many rows a statement has changed, which is what its answer begins with. */
export const changedRows = (rows: readonly (readonly (string | null)[])[]): number =>
  Number(rows[0]?.[0] ?? 0);
