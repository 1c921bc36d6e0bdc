import {
  ADVISORY_LOCK,
  type EndedErasure,
  type ErasureCounts,
  type ErasureId,
  instant,
  type WorkspaceId,
} from '@penstock/contracts';
import type { ErasedCounts, ErasedRecord } from '@penstock/warehouses';
import type { Pool } from 'pg';
import { LeaseLost } from '../engine/lease-lost';
import { sampleOf } from '../engine/tally';
import { cleanText } from '../store/clean-text';
import { Database } from '../store/database';
import { eraseSamples } from './erase-samples';
import {
  type AcceptedErasure,
  type ClaimedErasure,
  type ErasureClaim,
  ErasureStore,
  type StoredErasure,
  type UntoldErasure,
} from './erasure-store';

const ACCEPT = `
INSERT INTO penstock_runs.erasures (erasure, workspace, organization, profile, requested)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;

const IS_HELD = 'ended IS NULL AND lease_until >= clock_timestamp()';

/**
 * Epochs are of the warehouse and go on from one erasure to the next: they are milliseconds of the database's clock. One that
 * was claimed too early, as when the clock was set back, is refused by the warehouse and tried again.
 */
const CLAIM = `
WITH held AS (
  SELECT organization, count(*) AS count FROM penstock_runs.erasures WHERE ${IS_HELD} GROUP BY organization
), next AS (
  SELECT e.erasure FROM penstock_runs.erasures e LEFT JOIN held h USING (organization)
   WHERE e.ended IS NULL AND e.workspace = ANY ($3) AND e.due <= clock_timestamp()
     AND NOT EXISTS (SELECT FROM penstock_runs.erasures o WHERE o.workspace = e.workspace AND o.${IS_HELD})
   ORDER BY coalesce(h.count, 0), e.due, e.erasure
   LIMIT 1 FOR UPDATE OF e SKIP LOCKED
)
UPDATE penstock_runs.erasures e
   SET worker = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond',
       epoch = greatest(e.epoch + 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  FROM next WHERE e.erasure = next.erasure
RETURNING e.erasure, e.workspace, e.profile, e.epoch::float8 AS epoch, e.failures`;

const COUNTS = ['profiles', 'identities', 'history', 'events', 'samples']
  .map((name) => `${name}::float8 AS ${name}`)
  .join(', ');

const UNTOLD = `
SELECT erasure, workspace, error, ended, ${COUNTS} FROM penstock_runs.erasures
 WHERE ended IS NOT NULL AND NOT told AND erasure <> ALL ($2) ORDER BY ended LIMIT $1`;

const FIND = `
SELECT erasure, profile, requested, ended, error, ${COUNTS} FROM penstock_runs.erasures
 WHERE workspace = $1 AND erasure = $2`;

/** A value of so many identities as the person had may have been named in the warnings of a resolution. */
const WARNED_OF = 1_000;

/** Ends an erasure, with warnings that may name a value of the person: the next resolution finds them anew. */
const END = `
WITH ended AS (
  UPDATE penstock_runs.erasures SET error = $3, lease_until = NULL, ended = clock_timestamp()
   WHERE erasure = $1 AND epoch = $2 AND ended IS NULL
  RETURNING erasure, workspace, identities
), due AS (
  UPDATE penstock_runs.resolutions r SET warned = NULL, warnings = NULL FROM ended e
   WHERE r.workspace = e.workspace AND e.identities > $4
)
SELECT erasure FROM ended`;

interface CountedRow extends ErasureCounts {
  readonly erasure: ErasureId;
  readonly error: string;
}

interface UntoldRow extends CountedRow {
  readonly workspace: WorkspaceId;
  readonly ended: Date;
}

interface FoundRow extends CountedRow {
  readonly profile: string;
  readonly requested: Date;
  readonly ended: Date | null;
}

const countedOf = ({
  erasure,
  error,
  ...row
}: CountedRow): Pick<EndedErasure, 'erasure' | 'error' | 'counts'> => {
  const { profiles, identities, history, events, samples } = row;
  return { erasure, error, counts: { profiles, identities, history, events, samples } };
};

/** Erasures in the schema `penstock_runs` of the database that the services share. */
export class PostgresErasureStore extends ErasureStore {
  private readonly database: Database;

  /** @param options milliseconds for which a claim or its renewal holds. */
  constructor(
    pool: Pool,
    private readonly options: { readonly leaseMs: number },
  ) {
    super();
    this.database = new Database(pool);
  }

  override async accept(accepted: AcceptedErasure): Promise<void> {
    const { erasure, workspace, organization, profile, requestedAt } = accepted;
    await this.database.rows(ACCEPT, [erasure, workspace, organization, profile, requestedAt]);
  }

  override async claim(
    worker: string,
    workspaces: readonly WorkspaceId[],
  ): Promise<ClaimedErasure | undefined> {
    return this.database.transaction(async (db) => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.claimErasures]);
      const values = [worker, this.options.leaseMs, workspaces];
      const { rows } = await db.query<ClaimedErasure>(CLAIM, values);
      return rows[0];
    });
  }

  override renew(claim: ErasureClaim): Promise<boolean> {
    const lease = `lease_until = clock_timestamp() + $3 * interval '1 millisecond'`;
    return this.isSet(claim, lease, [this.options.leaseMs]);
  }

  override async release(claim: ErasureClaim): Promise<void> {
    await this.isSet(claim, 'lease_until = NULL, due = clock_timestamp()');
  }

  override async postpone(claim: ErasureClaim, ms: number, error: string): Promise<void> {
    await this.isSet(
      claim,
      `lease_until = NULL, due = clock_timestamp() + $3 * interval '1 millisecond', failures = failures + 1,
       error = $4`,
      [ms, cleanText(error)],
    );
  }

  override async eraseSamples(
    claim: ClaimedErasure,
    records: readonly ErasedRecord[],
  ): Promise<void> {
    const { workspace } = claim;
    for (const connection of new Set(records.map((each) => each.connection))) {
      const own = records.filter((each) => each.connection === connection);
      const samples = own.map(({ recordId }) => cleanText(sampleOf(recordId)));
      await eraseSamples(this.database, claim, { workspace, connection, samples });
    }
  }

  override async progress(
    claim: ErasureClaim,
    { profiles, identities, history, events }: ErasedCounts,
  ): Promise<void> {
    await this.set(
      claim,
      `profiles = $3, identities = $4, history = $5, events = $6, failures = 0, error = ''`,
      [profiles, identities, history, events],
    );
  }

  override async end(claim: ErasureClaim, error: string): Promise<void> {
    const { erasure, epoch } = claim;
    this.insist(await this.database.rows(END, [erasure, epoch, cleanText(error), WARNED_OF]));
  }

  override async untold(
    limit: number,
    but: readonly ErasureId[],
  ): Promise<readonly UntoldErasure[]> {
    const rows = await this.database.rows<UntoldRow>(UNTOLD, [limit, but]);
    return rows.map(({ workspace, ended, ...row }) => ({
      ...countedOf(row),
      ...{ workspace, endedAt: instant(ended) },
    }));
  }

  override async told(erasure: ErasureId): Promise<void> {
    await this.database.rows('UPDATE penstock_runs.erasures SET told = true WHERE erasure = $1', [
      erasure,
    ]);
  }

  override async find(workspace: string, id: string): Promise<StoredErasure | undefined> {
    const [row] = await this.database.rows<FoundRow>(FIND, [workspace, cleanText(id)]);
    if (row === undefined) return undefined;
    const { profile, requested, ended, ...counted } = row;
    const times = { requestedAt: instant(requested), endedAt: ended && instant(ended) };
    return { ...countedOf(counted), ...times, profile };
  }

  /** @throws LeaseLost */
  private async set(
    claim: ErasureClaim,
    members: string,
    values: readonly unknown[] = [],
  ): Promise<void> {
    this.insist((await this.isSet(claim, members, values)) ? [claim] : []);
  }

  /** Sets members of what is claimed, of which the first parameter is `$3`. @returns whether the claim holds */
  private async isSet(
    { erasure, epoch }: ErasureClaim,
    members: string,
    values: readonly unknown[] = [],
  ): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE penstock_runs.erasures SET ${members}
        WHERE erasure = $1 AND epoch = $2 AND ended IS NULL AND lease_until IS NOT NULL RETURNING erasure`,
      [erasure, epoch, ...values],
    );
    return rows.length === 1;
  }

  /** @throws LeaseLost */
  private insist(rows: readonly object[]): void {
    if (rows.length === 0) throw new LeaseLost('another worker has the erasure');
  }
}
