import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConnectionId,
  ErasureId,
  Instant,
  OrganizationId,
  WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { LeaseLost } from '../engine/lease-lost';
import { LEASE_MS, StoreDatabase } from '../store/store.fixture';
import { PostgresErasureStore } from './postgres-erasure-store';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();

const WORKSPACES = ['workspace0000001', 'workspace0000002'] as WorkspaceId[];

it('gives one erasure of each workspace at a time, however many executors ask at once', async () => {
  await database.open();
  const store = new PostgresErasureStore(database.pool, { leaseMs: LEASE_MS });
  for (let round = 0; round < 10; round += 1) {
    const workspaces = WORKSPACES.map((each) => `${each}-${String(round)}` as WorkspaceId);
    for (const workspace of workspaces)
      for (let n = 0; n < 10; n += 1)
        await store.accept({
          ...{ erasure: newId() as ErasureId, workspace, profile: newId() },
          organization: 'organization0001' as OrganizationId,
          requestedAt: '2026-06-01T00:00:00.000Z' as Instant,
        });
    const claims = Array.from({ length: 8 }, (_, n) => store.claim(`w${String(n)}`, workspaces));
    const claimed = (await Promise.all(claims)).flatMap((each) => each?.workspace ?? []);
    expect(claimed.sort()).toEqual(workspaces);
  }
});

describe('the examples of errors', () => {
  const [workspace, elsewhere] = WORKSPACES as [WorkspaceId, WorkspaceId];
  const connection = 'connection000001' as ConnectionId;
  const record = { connection, recordId: 'user-7', anonymous: false };
  const RUNS = 6_000;
  let store: PostgresErasureStore;

  /** Runs with an error each, whose examples have the person's id in every thousandth. */
  const addRuns = (of: WorkspaceId, prefix: string): Promise<unknown> =>
    database.pool.query(
      `WITH added AS (
         INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, trigger,
                                         incremental, requested, status, ended, told, cleaned)
         SELECT $2 || lpad(n::text, 8, '0'), $1, 'pipeline00000001', $3, 'Old', 1, 'Schedule', false, now(), 'Failed', now(),
                true, true
           FROM generate_series(1, ${String(RUNS)}) n RETURNING id)
       INSERT INTO penstock_runs.errors (run, step, code, message, count, first_at, last_at, samples)
       SELECT id, 5, 'Refused', 'out of range', 2, now(), now(),
              CASE WHEN id LIKE '%000' THEN '{user-1,user-7}'::text[] ELSE '{user-1}' END FROM added`,
      [of, prefix, connection],
    );

  const left = async (of: WorkspaceId): Promise<unknown> => {
    const { rows } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM penstock_runs.errors e JOIN penstock_runs.runs r ON r.id = e.run
        WHERE r.workspace = $1 AND 'user-7' = ANY (e.samples)`,
      [of],
    );
    return rows[0]?.n;
  };

  const claimed = async () => {
    const claim = await store.claim('w1', [workspace]);
    if (claim === undefined) throw new Error('there is nothing to claim');
    return claim;
  };

  beforeEach(async () => {
    await database.open();
    store = new PostgresErasureStore(database.pool, { leaseMs: LEASE_MS });
    await addRuns(workspace, 'a');
    await addRuns(elsewhere, 'b');
    await store.accept({
      ...{ erasure: newId() as ErasureId, workspace, profile: newId() },
      organization: 'organization0001' as OrganizationId,
      requestedAt: '2026-06-01T00:00:00.000Z' as Instant,
    });
  });

  it('lose the ids of a person in all runs of the workspace, counted once', async () => {
    const claim = await claimed();
    await store.eraseSamples(claim, [record]);
    await store.eraseSamples(claim, [record]);
    expect([await left(workspace), await left(elsewhere)]).toEqual([0, 6]);
    expect(await store.find(workspace, claim.erasure)).toMatchObject({ counts: { samples: 6 } });
  });

  it('are waited for, where somebody changes them, without the lease', async () => {
    const claim = await claimed();
    const other = await database.pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT FROM penstock_runs.errors WHERE run = 'a00003000' FOR UPDATE`);
    const erased = store.eraseSamples(claim, [record]);
    await sleep(500);
    const renewed = await Promise.race([store.renew(claim), sleep(5_000, 'too late')]);
    await other.query('COMMIT');
    other.release();
    await erased;
    expect(renewed).toBe(true);
    expect(await left(workspace)).toBe(0);
  });

  it('stay where the claim is lost', async () => {
    const claim = await claimed();
    const outdated = { ...claim, epoch: claim.epoch - 1 };
    await expect(store.eraseSamples(outdated, [record])).rejects.toThrow(LeaseLost);
    expect(await left(workspace)).toBe(6);
  });
});
