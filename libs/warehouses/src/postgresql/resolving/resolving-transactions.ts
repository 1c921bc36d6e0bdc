import type { Client, QueryResult } from 'pg';
import type { Writer } from '../../platform/warehouse-writer';
import { type Guarded, writerGuard } from '../layout/guard';
import type { Sessions } from '../sessions/sessions';
import { BEGIN, transaction } from '../sql/transaction';
import { beginChanging } from './changing';

/** The transactions of a resolution: each fails once another writer has taken the role over. */
export class ResolvingTransactions {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: Guarded,
    private readonly writer: Writer,
  ) {}

  /** @returns the rows that the last of the statements gives */
  async read<Row>(...statements: readonly string[]): Promise<readonly Row[]> {
    return this.sessions.use(async (client) => {
      const guard = writerGuard(this.place, this.writer);
      const results = await transaction(client, [guard, ...statements]);
      return (results.at(-1)?.rows ?? []) as unknown as Row[];
    });
  }

  /**
   * Changes something, beside no repair and no change of the schema of profiles.
   *
   * @param signal ends the statement that is under way: nothing was changed then.
   * @param first statements to begin with.
   */
  change<T>(
    signal: AbortSignal | undefined,
    first: readonly string[],
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    return this.sessions.use(async (client) => {
      signal?.throwIfAborted();
      const process = await this.processOf(client);
      let cancelling: Promise<void> | undefined;
      const cancel = (): void => {
        cancelling = this.cancel(process);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        await client.query([...this.beginning(), ...first].join(';\n'));
        const result = await work(client);
        signal?.throwIfAborted();
        signal?.removeEventListener('abort', cancel);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // What it cancels is nothing that comes afterwards on this connection.
        await cancelling;
        await client.query('ROLLBACK');
        throw error;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    });
  }

  /** As {@link change}, by statements. @returns the rows that the last of them gives */
  changeBy<Row>(
    signal: AbortSignal | undefined,
    statements: readonly string[],
  ): Promise<readonly Row[]> {
    return this.change(signal, [], async (client) => {
      const results = (await client.query(statements.join(';\n'))) as unknown;
      const last = Array.isArray(results) ? (results as QueryResult[]).at(-1) : results;
      return (last as QueryResult).rows as Row[];
    });
  }

  private beginning(): readonly string[] {
    const guard = writerGuard(this.place, this.writer);
    return [BEGIN, ...beginChanging(this.place.schema, guard)];
  }

  private async processOf(client: Client): Promise<number> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid ?? 0;
  }

  /** Ends the statement under way on another connection; when that fails it ends by itself, and is not committed. */
  private async cancel(process: number): Promise<void> {
    await this.sessions
      .use((client) => client.query('SELECT pg_cancel_backend($1)', [process]))
      .catch(() => undefined);
  }
}
