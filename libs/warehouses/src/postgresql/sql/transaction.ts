import type { Client, QueryResult } from 'pg';

/**
 * Begins a transaction whose statements see what was committed before each of them, whatever the user's transactions are by
 * default: who has waited for a lock sees what was done under it.
 */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Begins a transaction that reads, whose statements all see what was committed before the first of them. */
export const BEGIN_AT_ONE_MOMENT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Executes statements as one transaction, in one message: the server does not wait for this process in between, so that
 * a process that freezes holds no lock. After an error the transaction is to be rolled back.
 *
 * @returns their results, without those of the transaction's own.
 */
export const transaction = async (
  client: Client,
  statements: readonly string[],
): Promise<readonly QueryResult<Record<string, unknown>>[]> => {
  const text = [BEGIN, ...statements, 'COMMIT'].join(';\n');
  const results = (await client.query(text)) as unknown as QueryResult<Record<string, unknown>>[];
  return results.slice(1, -1);
};
