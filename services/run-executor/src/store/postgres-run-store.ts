import { SharedRates, type TokensGiven, type TokensWanted } from '@penstock/rates';
import type {
  ReplayedRun,
  RunCancel,
  Sealed,
  RunFactView,
  RunId,
  RunPipelineState,
  RunStep,
  RunView,
  RunWait,
  WorkspaceId,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import type { ExportLedger, ImportLedger } from '../engine/run-ledger';
import type { UserLedger } from '../engine/user-ledger';
import { Claims } from './claims';
import { cleanText } from './clean-text';
import { Database } from './database';
import { Endings } from './endings';
import { FactsToPublish } from './facts-to-publish';
import { eraseWorkspace } from './erase-workspace';
import { forgetRuns } from './forget-runs';
import { forgetKeys } from './taken-keys';
import { migrate } from './migrate';
import { addFact, orAway, PostgresLedger } from './postgres-ledger';
import { recordReplay } from './record-replay';
import { RunReads } from './run-reads';
import { beginWaiting, setWaiting } from './waiting-runs';
import {
  type AcceptedRun,
  type StoredRunError,
  type CancelledRun,
  type ClaimedRun,
  type EndedRun,
  type Finished,
  type Postponed,
  type FactToPublish,
  type PageWanted,
  type Placed,
  type Published,
  type RunEnding,
  RunStore,
  type RunStoreOptions,
  type RunsWanted,
} from './run-store';

/** From one to the next along the index of runs, of which there may be millions. */
const WORKSPACES = `
WITH RECURSIVE having_runs AS (
  (SELECT workspace FROM penstock_runs.runs ORDER BY workspace LIMIT 1)
  UNION ALL
  SELECT next.workspace FROM having_runs h CROSS JOIN LATERAL (
    SELECT workspace FROM penstock_runs.runs WHERE workspace > h.workspace ORDER BY workspace LIMIT 1) AS next
)
SELECT workspace FROM having_runs UNION SELECT workspace FROM penstock_runs.resolutions
 UNION SELECT workspace FROM penstock_runs.erasures UNION SELECT workspace FROM penstock_runs.removals`;

const ACCEPT = `
INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, definition,
                                trigger, incremental, starting_cursor, requested, facts)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** Runs in the schema `penstock_runs` of the database that the services share. */
export class PostgresRunStore extends RunStore {
  private readonly database: Database;
  private readonly claims: Claims;
  private readonly endings: Endings;
  private readonly reads: RunReads;
  private readonly facts: FactsToPublish;
  private readonly rates: SharedRates;

  constructor(pool: Pool, options: RunStoreOptions) {
    super();
    this.database = new Database(pool);
    this.claims = new Claims(this.database, options);
    this.endings = new Endings(this.database);
    this.reads = new RunReads(this.database);
    this.facts = new FactsToPublish(this.database);
    this.rates = new SharedRates(this.database);
  }

  override async prepare(): Promise<void> {
    await migrate(this.database);
    await this.rates.prepare();
  }

  override async accept(runs: readonly AcceptedRun[]): Promise<void> {
    for (const run of runs) await this.acceptOne(run);
  }

  override recordReplay(replay: ReplayedRun): Promise<void> {
    return this.database.transaction((db) => recordReplay(db, replay));
  }

  override requestCancel(run: RunId, cancel: RunCancel): Promise<void> {
    return this.claims.requestCancel(run, cancel);
  }

  override claim(worker: string): Promise<ClaimedRun | undefined> {
    return this.claims.claim(worker);
  }

  override renew(run: RunId, epoch: number): Promise<boolean> {
    return this.claims.renew(run, epoch);
  }

  override release(run: RunId, epoch: number): Promise<void> {
    return this.claims.release(run, epoch);
  }

  override ledger(
    run: RunId,
    epoch: number,
    seal: (text: string) => Sealed | undefined = () => undefined,
  ): ImportLedger & ExportLedger & UserLedger {
    return new PostgresLedger(this.database, run, epoch, seal);
  }

  override takeCancelled(graceMs: number): Promise<readonly CancelledRun[]> {
    return this.claims.takeCancelled(graceMs);
  }

  override async define(run: RunId, definition: RunPipelineState): Promise<void> {
    const text = cleanText(JSON.stringify(definition));
    await this.database.rows('UPDATE penstock_runs.runs SET definition = $2 WHERE id = $1', [
      run,
      text,
    ]);
  }

  override end(run: RunId, epoch: number, ending: RunEnding): Promise<void> {
    return this.endings.end(run, epoch, ending);
  }

  override left(what: Finished, limit: number, but: Postponed): Promise<readonly EndedRun[]> {
    return this.endings.left(what, limit, but);
  }

  override finish(run: RunId, done: Finished): Promise<void> {
    return this.endings.finish(run, done);
  }

  override forgetKeys(run: RunId): Promise<void> {
    return forgetKeys(this.database, [run]);
  }

  override publish(
    limit: number,
    work: (facts: readonly FactToPublish[], end: number | null) => Promise<Published>,
  ): Promise<number | undefined> {
    return this.facts.publish(limit, work);
  }

  override list(
    workspace: string,
    wanted: RunsWanted,
    page: PageWanted,
  ): Promise<readonly RunView[]> {
    return this.reads.list(workspace, wanted, page);
  }

  override find(workspace: string, run: string): Promise<RunView | undefined> {
    return this.reads.find(workspace, run);
  }

  override errorsOf(run: RunId, page: PageWanted): Promise<readonly Placed<StoredRunError>[]> {
    return this.reads.errorsOf(run, page);
  }

  override factsOf(run: RunId, page: PageWanted): Promise<readonly Placed<RunFactView>[]> {
    return this.reads.factsOf(run, page);
  }

  override async unswept(
    workspaces: readonly WorkspaceId[],
    withinMs: number,
  ): Promise<readonly WorkspaceId[]> {
    const rows = await this.database.rows<{ workspace: WorkspaceId }>(
      `SELECT id AS workspace FROM unnest($1::text[]) AS id
        WHERE NOT EXISTS (SELECT FROM penstock_runs.sweeps s
                           WHERE s.workspace = id
                             AND s.at > clock_timestamp() - $2 * interval '1 millisecond')`,
      [workspaces, withinMs],
    );
    return rows.map(({ workspace }) => workspace);
  }

  override async swept(workspace: WorkspaceId): Promise<void> {
    await this.database.rows(
      `INSERT INTO penstock_runs.sweeps (workspace, at) VALUES ($1, clock_timestamp())
       ON CONFLICT (workspace) DO UPDATE SET at = excluded.at`,
      [workspace],
    );
  }

  override takeTokens(wanted: TokensWanted): Promise<TokensGiven> {
    return orAway(() => this.rates.take(wanted));
  }

  override forgetIdleRates(): Promise<void> {
    return this.rates.forgetIdle();
  }

  override async workspaces(): Promise<readonly WorkspaceId[]> {
    const rows = await this.database.rows<{ workspace: WorkspaceId }>(WORKSPACES);
    return rows.map(({ workspace }) => workspace);
  }

  override beginWaiting(
    run: RunId,
    epoch: number,
    waiting: RunWait & { readonly step: RunStep },
  ): Promise<void> {
    return beginWaiting(this.database, run, epoch, waiting);
  }

  override setWaiting(run: RunId, epoch: number, waiting: RunWait | null): Promise<void> {
    return setWaiting(this.database, run, epoch, waiting);
  }

  override forgetRuns(olderThanMs: number): Promise<void> {
    return forgetRuns(this.database, olderThanMs);
  }

  override erase(workspace: WorkspaceId): Promise<void> {
    return eraseWorkspace(this.database, workspace);
  }

  private acceptOne(accepted: AcceptedRun): Promise<void> {
    const { workspace, pipeline, connection, definition, ...request } = accepted;
    const { run, pipelineName, pipelineVersion, trigger, incremental, cursor } = request;
    const text = definition && cleanText(JSON.stringify(definition));
    const values = [
      ...[run, workspace, pipeline, connection, cleanText(pipelineName), pipelineVersion, text],
      ...[trigger, incremental, cursor, request.requestedAt],
    ];
    return this.database.transaction(async (db) => {
      const { rowCount } = await db.query(ACCEPT, values);
      if (rowCount === 0) return;
      const data = { ...request, pipeline, workspace, connection };
      await addFact(db, run, 1, { type: 'RunAccepted', data }, { actor: request.actor });
    });
  }
}
