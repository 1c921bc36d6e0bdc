import { Client } from 'pg';
import { ADVISORY_LOCK } from '@penstock/contracts';
import { until } from '../harness/until';
import type { ImportedPipeline } from './imported-pipeline';

/** A point at which a run waits for a lock of the spec. */
export interface HeldStage {
  readonly stage: string;
  /** Lets what waits go on. */
  readonly release: () => Promise<void>;
}

/**
 * Stops runs exactly where a spec wants them, without any switch in the product: it holds the row that the next step
 * needs, and waits until an executor waits for it.
 */
export class HeldStages {
  private readonly held: Client[] = [];

  constructor(private readonly databaseUrl: () => string) {}

  /** From now on nothing is claimed, and what is requested stays queued. */
  async beforeClaim(): Promise<HeldStage> {
    const client = await this.session();
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK.claimRuns]);
    return this.stage('before the claim', client);
  }

  /** The batch with this record is being written. */
  async inBatch(pipeline: ImportedPipeline, record: string, begin: () => Promise<string>) {
    const client = await this.holding(pipeline, record);
    const run = await begin();
    await this.waitedFor(client);
    return { run, ...this.stage('in a batch', client) };
  }

  /** The batch with this record is written and is not settled. */
  async beforeSettlement(pipeline: ImportedPipeline, record: string, begin: () => Promise<string>) {
    const batch = await this.inBatch(pipeline, record, begin);
    const client = await this.session();
    await this.holdRun(client, batch.run);
    await batch.release();
    await this.waitedFor(client, 'SET sequence');
    return { run: batch.run, ...this.stage('between write and settlement', client) };
  }

  /** Everything is settled, and the identity of this record is being removed. */
  async inPurge(pipeline: ImportedPipeline, record: string, begin: () => Promise<string>) {
    const client = await this.holding(pipeline, record);
    const run = await begin();
    await this.waitedFor(client);
    return { run, ...this.stage('in the purge', client) };
  }

  /** Everything is removed, and the end is being recorded. */
  async inEnd(pipeline: ImportedPipeline, record: string, begin: () => Promise<string>) {
    const purge = await this.inPurge(pipeline, record, begin);
    const client = await this.session();
    await this.holdRun(client, purge.run);
    await purge.release();
    await this.waitedFor(client, 'SET status = $3');
    return { run: purge.run, ...this.stage('in the end', client) };
  }

  /** Lets everything go on that waits. */
  async releaseAll(): Promise<void> {
    await Promise.all(this.held.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  private stage(stage: string, client: Client): HeldStage {
    return { stage, release: () => client.end() };
  }

  private async session(): Promise<Client> {
    const client = new Client({ connectionString: this.databaseUrl() });
    // The database may be killed while the lock is held.
    client.on('error', () => undefined);
    await client.connect();
    this.held.push(client);
    await client.query('BEGIN');
    return client;
  }

  private async holding({ id, schema }: ImportedPipeline, record: string): Promise<Client> {
    const client = await this.session();
    const { rowCount } = await client.query(
      `SELECT FROM ${schema}._identities WHERE _pipeline = $1 AND _record_id = $2 FOR UPDATE`,
      [id, record],
    );
    if (rowCount !== 1) throw new Error(`there is no identity ${record}`);
    return client;
  }

  private async holdRun(client: Client, run: string): Promise<void> {
    await client.query('SELECT FROM penstock_runs.runs WHERE id = $1 FOR UPDATE', [run]);
  }

  /** Waits until a statement waits for the session. @param text of its first kilobyte, which is all that the server shows. */
  private async waitedFor(client: Client, text = ''): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await until(`a statement ${text} waits`, async () => {
      // A transaction sees what was there at its first look, unless it forgets that.
      await client.query('SELECT pg_stat_clear_snapshot()');
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) AND strpos(query, $2) > 0`,
        [rows[0]?.pid, text],
      );
      return (rowCount ?? 0) > 0;
    });
  }
}
