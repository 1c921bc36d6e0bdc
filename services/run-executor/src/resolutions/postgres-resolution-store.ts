import {
  type EndedResolution,
  instant,
  type ResolutionId,
  type ResolutionTrigger,
  type Sealed,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import { cleanText } from '../store/clean-text';
import { Database } from '../store/database';
import {
  type AcceptedResolution,
  type CancelledResolution,
  type ClaimedResolution,
  type DueLook,
  type FailedResolution,
  type ResolutionClaim,
  type ResolutionCounts,
  type ResolutionEnding,
  ResolutionStore,
  type StoredResolution,
  type UntoldResolution,
} from './resolution-store';

/** A later resolution takes over that profiles have still to be taken apart. */
const ACCEPT = `
INSERT INTO penstock_runs.resolutions AS r
       (workspace, organization, resolution, version, trigger, is_full, started, must_take_apart, cancel_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $6, CASE WHEN $8 THEN clock_timestamp() END)
ON CONFLICT (workspace) DO UPDATE
   SET organization = excluded.organization, resolution = excluded.resolution, version = excluded.version,
       trigger = excluded.trigger, is_full = excluded.is_full, started = excluded.started,
       must_take_apart = excluded.must_take_apart OR r.must_take_apart,
       cancel_at = excluded.cancel_at, worker = '', lease_until = NULL, due = clock_timestamp(), failures = 0,
       trouble_since = NULL, identities = 0, created = 0, merged = 0, split = 0, deleted = 0,
       status = NULL, error = '', ended = NULL, told = false, retried = false
 WHERE excluded.version > r.version AND excluded.resolution <> r.resolution`;

const REQUEST_CANCEL = `
UPDATE penstock_runs.resolutions SET cancel_at = clock_timestamp()
 WHERE workspace = $1 AND resolution = $2 AND ended IS NULL AND cancel_at IS NULL`;

const IS_WAITING = `r.ended IS NULL AND r.cancel_at IS NULL AND r.due <= clock_timestamp()
   AND (r.lease_until IS NULL OR r.lease_until < clock_timestamp())`;

const CLAIM = `
WITH held AS (
  SELECT organization, count(*) AS count FROM penstock_runs.resolutions
   WHERE ended IS NULL AND lease_until >= clock_timestamp() GROUP BY organization
), next AS (
  SELECT r.workspace FROM penstock_runs.resolutions r
    LEFT JOIN held h USING (organization) LEFT JOIN penstock_runs.resolution_turns t USING (organization)
   WHERE ${IS_WAITING}
   ORDER BY coalesce(h.count, 0), t.served NULLS FIRST, r.due, r.workspace
   LIMIT 1 FOR UPDATE OF r SKIP LOCKED
)
UPDATE penstock_runs.resolutions r
   SET worker = $1, epoch = r.epoch + 1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'
  FROM next WHERE r.workspace = next.workspace
RETURNING r.workspace, r.organization, r.resolution, r.epoch::float8 AS epoch,
          r.must_take_apart AS "mustTakeApart", r.failures, r.identities::float8 AS identities,
          r.is_full OR r.must_take_apart OR r.warned IS NULL
            OR r.warned < clock_timestamp() - interval '1 hour' AS "areWarningsDue",
          coalesce(extract(epoch FROM clock_timestamp() - r.trouble_since) * 1000, 0)::float8 AS "troubleMs"`;

const SERVE = `
INSERT INTO penstock_runs.resolution_turns (organization, served) VALUES ($1, nextval('penstock_runs.serving'))
ON CONFLICT (organization) DO UPDATE SET served = excluded.served`;

/** Who ends a cancelled resolution has it as long as another one leaves it alone. */
const TAKE_CANCELLED = `
UPDATE penstock_runs.resolutions r
   SET epoch = r.epoch + 1, cancel_at = clock_timestamp(), lease_until = 'infinity'
  FROM (SELECT workspace FROM penstock_runs.resolutions
         WHERE ended IS NULL AND cancel_at IS NOT NULL
           AND (lease_until IS NULL OR lease_until < clock_timestamp()
                OR cancel_at < clock_timestamp() - $1 * interval '1 millisecond')
         LIMIT 100 FOR UPDATE SKIP LOCKED) AS due
 WHERE r.workspace = due.workspace
RETURNING r.workspace, r.resolution, r.epoch::float8 AS epoch, r.worker <> '' AS "wasClaimed"`;

/** Without new ones, the warnings of the resolution before stay. */
const END = `status = $4, error = $5, warnings = coalesce($6, warnings), lease_until = NULL,
       warned = CASE WHEN $6 IS NULL THEN warned ELSE clock_timestamp() END,
       ended = clock_timestamp()`;

const UNTOLD = `
SELECT workspace, resolution, status, error, ended FROM penstock_runs.resolutions
 WHERE ended IS NOT NULL AND NOT told AND workspace <> ALL ($2) ORDER BY ended LIMIT $1`;

const TO_RETRY = `
SELECT workspace, resolution, trigger, must_take_apart AS full FROM penstock_runs.resolutions
 WHERE status = 'Failed' AND told AND NOT retried AND workspace <> ALL ($3)
   AND ended < clock_timestamp() - $2 * interval '1 millisecond'
 ORDER BY ended LIMIT $1`;

/** One that is never due was taken by a process that is lost, once it is not held any more. */
const IS_LOOK_DUE = `held_until <= clock_timestamp() AND (due <= clock_timestamp() OR due = 'infinity')`;

/** In one order, so that those who do the same at once wait for each other. */
const ENROL_LOOKS = `
INSERT INTO penstock_runs.event_looks (workspace, due)
SELECT workspace, clock_timestamp() + random() * $2 * interval '1 millisecond'
  FROM unnest($1::text[]) AS given (workspace) ORDER BY workspace
ON CONFLICT (workspace) DO NOTHING`;

const LOOK_WITHIN = `
INSERT INTO penstock_runs.event_looks AS l (workspace, due)
SELECT workspace, clock_timestamp() + ms * interval '1 millisecond'
  FROM unnest($1::text[], $2::float8[]) AS given (workspace, ms) ORDER BY workspace
ON CONFLICT (workspace) DO UPDATE SET due = excluded.due WHERE l.due > excluded.due`;

const LATEST = `
SELECT trigger, is_full AS full, started, ended, error, warnings, pending::float8 AS pending,
       identities::float8 AS identities, created::float8 AS created, merged::float8 AS merged,
       split::float8 AS split, deleted::float8 AS deleted
  FROM penstock_runs.resolutions WHERE workspace = $1`;

const SELECTED = 'WHERE workspace = $1 AND resolution = $2';

interface UntoldRow extends Pick<EndedResolution, 'resolution' | 'status' | 'error'> {
  readonly workspace: WorkspaceId;
  readonly ended: Date;
}

interface LatestRow extends ResolutionCounts {
  readonly trigger: ResolutionTrigger;
  readonly full: boolean;
  readonly started: Date;
  readonly ended: Date | null;
  readonly error: string;
  readonly warnings: Sealed | null;
  readonly pending: number;
}

const latestOf = ({ started, ended, ...row }: LatestRow): StoredResolution => ({
  ...row,
  startedAt: instant(started),
  endedAt: ended && instant(ended),
});

/** Resolutions in the schema `penstock_runs` of the database that the services share. */
export class PostgresResolutionStore extends ResolutionStore {
  private readonly database: Database;

  /** @param options milliseconds for which a claim or its renewal holds. */
  constructor(
    pool: Pool,
    private readonly options: { readonly leaseMs: number },
  ) {
    super();
    this.database = new Database(pool);
  }

  override async accept(accepted: AcceptedResolution): Promise<void> {
    const { workspace, organization, resolution, version } = accepted;
    const { trigger, full, startedAt, isCancelled } = accepted;
    await this.database.rows(ACCEPT, [
      ...[workspace, organization, resolution, version],
      ...[trigger, full, startedAt, isCancelled],
    ]);
  }

  override async requestCancel(workspace: WorkspaceId, resolution: ResolutionId): Promise<void> {
    await this.database.rows(REQUEST_CANCEL, [workspace, resolution]);
  }

  override claim(worker: string): Promise<ClaimedResolution | undefined> {
    return this.database.transaction(async (db) => {
      const { rows } = await db.query<ClaimedResolution & { readonly organization: string }>(
        CLAIM,
        [worker, this.options.leaseMs],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const { organization, ...claimed } = row;
      await db.query(SERVE, [organization]);
      return claimed;
    });
  }

  override renew(claim: ResolutionClaim): Promise<boolean> {
    const lease = `lease_until = clock_timestamp() + $4 * interval '1 millisecond'`;
    return this.isSet(claim, lease, [this.options.leaseMs]);
  }

  override async release(claim: ResolutionClaim): Promise<void> {
    await this.isSet(claim, 'lease_until = NULL, due = clock_timestamp()');
  }

  override async postpone(claim: ResolutionClaim, ms: number): Promise<void> {
    await this.isSet(
      claim,
      `lease_until = NULL, due = clock_timestamp() + $4 * interval '1 millisecond', failures = failures + 1,
       trouble_since = coalesce(trouble_since, clock_timestamp())`,
      [ms],
    );
  }

  override async hasWaiting(): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT FROM penstock_runs.resolutions r WHERE ${IS_WAITING} LIMIT 1`,
    );
    return rows.length > 0;
  }

  override tookApart(claim: ResolutionClaim): Promise<void> {
    return this.set(claim, 'must_take_apart = false, failures = 0, trouble_since = NULL');
  }

  override found(claim: ResolutionClaim, pending: number): Promise<void> {
    return this.set(claim, 'pending = $4', [pending]);
  }

  override progress(claim: ResolutionClaim, counts: ResolutionCounts): Promise<void> {
    const { identities, created, merged, split, deleted } = counts;
    return this.set(
      claim,
      `identities = identities + $4, created = created + $5, merged = merged + $6, split = split + $7,
       deleted = deleted + $8, pending = greatest(pending - $4, 0),
       failures = CASE WHEN $4 > 0 THEN 0 ELSE failures END,
       trouble_since = CASE WHEN $4 > 0 THEN NULL ELSE trouble_since END`,
      [identities, created, merged, split, deleted],
    );
  }

  override async end(claim: ResolutionClaim, ending: ResolutionEnding): Promise<void> {
    const { status, error, warnings } = ending;
    const values = [status, cleanText(error), warnings];
    await this.set(claim, END, values);
  }

  override takeCancelled(graceMs: number): Promise<readonly CancelledResolution[]> {
    return this.database.rows<CancelledResolution>(TAKE_CANCELLED, [graceMs]);
  }

  override async untold(
    limit: number,
    but: readonly WorkspaceId[],
  ): Promise<readonly UntoldResolution[]> {
    const rows = await this.database.rows<UntoldRow>(UNTOLD, [limit, but]);
    return rows.map(({ ended, ...row }) => ({ ...row, endedAt: instant(ended) }));
  }

  override async told(workspace: WorkspaceId, resolution: ResolutionId): Promise<void> {
    await this.database.rows(`UPDATE penstock_runs.resolutions SET told = true ${SELECTED}`, [
      workspace,
      resolution,
    ]);
  }

  override toRetry(
    afterMs: number,
    limit: number,
    but: readonly WorkspaceId[],
  ): Promise<readonly FailedResolution[]> {
    return this.database.rows<FailedResolution>(TO_RETRY, [limit, afterMs, but]);
  }

  override async retried(workspace: WorkspaceId, resolution: ResolutionId): Promise<void> {
    await this.database.rows(`UPDATE penstock_runs.resolutions SET retried = true ${SELECTED}`, [
      workspace,
      resolution,
    ]);
  }

  override async enrolLooks(workspaces: readonly WorkspaceId[], withinMs: number): Promise<void> {
    await this.database.rows(ENROL_LOOKS, [workspaces, withinMs]);
  }

  override async lookWithin(looks: readonly DueLook[]): Promise<void> {
    const workspaces = looks.map(({ workspace }) => workspace);
    await this.database.rows(LOOK_WITHIN, [workspaces, looks.map(({ ms }) => ms)]);
  }

  override async dueLooks(): Promise<readonly WorkspaceId[]> {
    const rows = await this.database.rows<{ workspace: WorkspaceId }>(
      `SELECT workspace FROM penstock_runs.event_looks WHERE ${IS_LOOK_DUE}`,
    );
    return rows.map(({ workspace }) => workspace);
  }

  override async takeLook(workspace: WorkspaceId, heldMs: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE penstock_runs.event_looks
          SET due = 'infinity', held_until = clock_timestamp() + $2 * interval '1 millisecond'
        WHERE workspace = $1 AND ${IS_LOOK_DUE} RETURNING workspace`,
      [workspace, heldMs],
    );
    return rows.length === 1;
  }

  override async lookAgain(workspace: WorkspaceId, ms: number, notMs: number): Promise<void> {
    await this.database.rows(
      `UPDATE penstock_runs.event_looks
          SET due = least(due, clock_timestamp() + $2 * interval '1 millisecond'),
              held_until = clock_timestamp() + $3 * interval '1 millisecond'
        WHERE workspace = $1`,
      [workspace, ms, notMs],
    );
  }

  override async latest(workspace: string): Promise<StoredResolution | undefined> {
    const [row] = await this.database.rows<LatestRow>(LATEST, [workspace]);
    return row && latestOf(row);
  }

  /** @throws LeaseLost */
  private async set(
    claim: ResolutionClaim,
    members: string,
    values: readonly unknown[] = [],
  ): Promise<void> {
    if (!(await this.isSet(claim, members, values)))
      throw new LeaseLost('another worker has the resolution');
  }

  /** Sets members of what is claimed, of which the first parameter is `$4`. @returns whether the claim holds */
  private async isSet(
    { workspace, resolution, epoch }: ResolutionClaim,
    members: string,
    values: readonly unknown[] = [],
  ): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE penstock_runs.resolutions SET ${members}
        ${SELECTED} AND epoch = $3 AND ended IS NULL AND lease_until IS NOT NULL RETURNING workspace`,
      [workspace, resolution, epoch, ...values],
    );
    return rows.length === 1;
  }
}
