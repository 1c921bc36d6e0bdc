import { type Client, escapeLiteral } from 'pg';
import {
  MAX_RESOLVED,
  type RecordedProfileFact,
  type ResolvedBatch,
  type Resolver,
  type SharedValue,
} from '../../platform/resolver';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import { qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import type { Sessions } from '../sessions/sessions';
import { type Guarded, writerGuard } from '../layout/guard';
import { Batch } from './batch';
import { aloneResolving } from './beside-resolution';
import { beginChanging } from './changing';
import { selectFacts } from './facts';
import { resolveBatch } from './resolve-batch';
import type { Rules } from './rules';
import { selectShared } from './shared-values';

/** How often a batch is begun anew when somebody else's session has held what it needs. */
const MOST_TRIES = 4;

/** What a resolver needs of the warehouse. */
export interface ResolvingPlace extends Guarded {
  readonly rules: Rules;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
}

const isLocked = (error: unknown): boolean =>
  error instanceof WarehouseFault && error.kind === 'locked';

/** Resolves the identities of one workspace under one epoch. */
export class PostgresqlResolver implements Resolver {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: ResolvingPlace,
    private readonly writer: Writer,
  ) {}

  async pending(): Promise<number> {
    const [row] = await this.read<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${this.table('_dirty')}`,
    );
    return row?.count ?? 0;
  }

  async takeApart(): Promise<void> {
    await this.sessions.use((client) =>
      transaction(client, [
        ...this.beginning(),
        aloneResolving(this.place.schema),
        // Those of identities that are gone tell whose events they had.
        `DELETE FROM ${this.table('_identity_keys')} AS k USING ${this.table('_identities')} AS i
         WHERE k.identity = i._id`,
        `INSERT INTO ${this.table('_dirty')} (identity, change, profile_id)
         SELECT _id, 'changed', _profile_id FROM ${this.table('_identities')} ORDER BY _id
         ON CONFLICT (identity) DO NOTHING`,
      ]),
    );
  }

  async resolve(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESOLVED)
      throw new RangeError(`limit ${limit}`);
    for (let tries = 1; ; tries += 1)
      try {
        return await this.resolveOnce(limit, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isLocked(error) || tries === MOST_TRIES) throw error;
      }
  }

  async sharedValues(): Promise<readonly SharedValue[]> {
    return this.read<SharedValue>(selectShared(this.place.schema, this.place.rules));
  }

  async facts(limit: number): Promise<readonly RecordedProfileFact[]> {
    return this.read<RecordedProfileFact>(selectFacts(this.place.schema, limit));
  }

  async forgetFacts(upTo: string): Promise<void> {
    await this.sessions.use((client) =>
      transaction(client, [
        ...this.beginning(),
        `DELETE FROM ${this.table('_outbox')} WHERE id <= ${escapeLiteral(upTo)}::bigint`,
      ]),
    );
  }

  private table(name: string): string {
    return qualified(this.place.schema, name);
  }

  private beginning(): readonly string[] {
    return beginChanging(this.place.schema, writerGuard(this.place, this.writer));
  }

  private async read<Row>(statement: string): Promise<readonly Row[]> {
    return this.sessions.use(async (client) => {
      const results = await transaction(client, [writerGuard(this.place, this.writer), statement]);
      return (results.at(-1)?.rows ?? []) as unknown as Row[];
    });
  }

  private async resolveOnce(limit: number, signal: AbortSignal): Promise<ResolvedBatch> {
    return this.sessions.use(async (client) => {
      signal.throwIfAborted();
      const process = await this.processOf(client);
      let cancelling: Promise<void> | undefined;
      const cancel = (): void => {
        cancelling = this.cancel(process);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const resolved = await this.inTransaction(client, limit, signal);
        signal.throwIfAborted();
        signal.removeEventListener('abort', cancel);
        await client.query('COMMIT');
        return resolved;
      } catch (error) {
        // What it cancels is nothing that comes afterwards on this connection.
        await cancelling;
        await client.query('ROLLBACK');
        throw error;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    });
  }

  private async inTransaction(
    client: Client,
    limit: number,
    signal: AbortSignal,
  ): Promise<ResolvedBatch> {
    const { schema, rules, aheadSeconds } = this.place;
    const begin = ['BEGIN ISOLATION LEVEL READ COMMITTED', ...this.beginning()];
    await client.query([...begin, aloneResolving(schema)].join(';\n'));
    const seconds = Date.now() / 1_000 + aheadSeconds;
    return resolveBatch(new Batch(client, schema, rules, signal, seconds), limit);
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
