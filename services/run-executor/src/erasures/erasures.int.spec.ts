import { randomUUID } from 'node:crypto';
import {
  type ConnectionId,
  type ErasureId,
  type Instant,
  type OrganizationId,
  suppressionId,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { WarehouseFault } from '@penstock/warehouses';
import { until } from '@penstock/test-servers';
import {
  type Interception,
  ResolutionInstallation,
  secrets,
} from '../testing/resolution-installation.fixture';
import { PostgresErasureStore } from './postgres-erasure-store';

jest.setTimeout(600_000);

let installation: ResolutionInstallation;

beforeEach(async () => {
  installation = await ResolutionInstallation.open();
});

afterEach(() => installation.close());

const CRM = 'source0000000001' as ConnectionId;

interface Person {
  readonly workspace: WorkspaceId;
  readonly web: ConnectionId;
  readonly profile: string;
}

/** Ada has an identity in two sources; events of hers and of Bob's are in the warehouse. */
const people = async (): Promise<Person> => {
  const workspace = await installation.workspace();
  const web = await installation.source(workspace);
  await installation.write(workspace, web, [
    { recordId: 'ada', email: 'ada@example.com' },
    { recordId: 'bob', email: 'bob@example.com' },
  ]);
  await installation.write(workspace, CRM, [{ recordId: '7', email: 'ada@example.com' }]);
  await installation.events(workspace, web, ['ada', 'bob', 'ada']);
  return { workspace, web, profile: '' };
};

const profileOf = async (workspace: WorkspaceId, id: string): Promise<string> =>
  (await installation.identities(workspace)).find(({ recordId }) => recordId === id)?.profile ?? '';

/** Resolved by an executor that is stopped then. */
const resolvedPeople = async (): Promise<Person> => {
  const person = await people();
  const executor = await installation.start();
  await installation.ended(await installation.resolve(person.workspace));
  await executor.close();
  return { ...person, profile: await profileOf(person.workspace, 'ada') };
};

const ERASED = { profiles: 1, identities: 2, events: 2 };

const idsIn = async (workspace: WorkspaceId): Promise<readonly string[]> =>
  (await installation.identities(workspace)).map(({ recordId }) => recordId);

/** A run whose errors have examples. */
const addErrors = async (
  workspace: WorkspaceId,
  connection: string,
  samples: readonly string[],
) => {
  const run = `run of ${connection}`;
  await installation.pool.query(
    `INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, trigger, requested, ended, told, cleaned)
     VALUES ($1, $2, 'pipeline', $3, 'Users', 'API', now(), now(), true, true)`,
    [run, workspace, connection],
  );
  await installation.pool.query(
    `INSERT INTO penstock_runs.errors (run, step, code, message, count, samples, texts)
     VALUES ($1, 1, 'c', 'm', 9, $2, (SELECT jsonb_object_agg(each, 'sealed') FROM unnest($2::text[]) AS each))`,
    [run, samples],
  );
};

const samples = async (): Promise<readonly (readonly string[])[]> => {
  const { rows } = await installation.pool.query<{
    readonly samples: readonly string[];
    readonly texts: Readonly<Record<string, string>>;
  }>('SELECT samples, texts FROM penstock_runs.errors ORDER BY run');
  for (const row of rows) expect(Object.keys(row.texts).sort()).toEqual([...row.samples].sort());
  return rows.map((row) => row.samples);
};

it('erases a person, tells what it has erased, and leaves others as they are', async () => {
  const { workspace, web, profile } = await resolvedPeople();
  await addErrors(workspace, CRM, ['6', '7', '8']);
  await addErrors(workspace, web, ['7', 'ada']);
  await installation.start();
  const erasure = await installation.erase(workspace, profile);
  const { counts, error } = await installation.erased(erasure);
  expect({ counts, error }).toMatchObject({ counts: { ...ERASED, samples: 2 }, error: '' });
  expect(await idsIn(workspace)).toEqual(['bob']);
  expect(await samples()).toEqual([['7'], ['6', '8']]);
  const suppressed = (userId: string) =>
    suppressionId(secrets.keyedHash.bind(secrets), workspace, userId);
  expect([...installation.suppressed]).toEqual([suppressed('ada')]);
  expect(installation.triggers).toContainEqual(
    expect.objectContaining({ workspace, trigger: 'Erasure', full: false }),
  );
  const view = await installation.erasure(workspace, erasure);
  expect(view).toMatchObject({
    id: erasure,
    profile,
    error: '',
    counts: { ...ERASED, samples: 2 },
  });
  expect(view.endedAt).not.toBeNull();
});

it('forgets warnings that may name the person, and has them found anew', async () => {
  const workspace = await installation.workspace();
  const web = await installation.source(workspace);
  const ofAda = Array.from({ length: 1_001 }, (_, n) => ({
    ...{ recordId: `ada${String(n)}`, email: 'ada@example.com' },
  }));
  await installation.write(workspace, web, [...ofAda, { recordId: 'bob' }]);
  await installation.start({ resolutionBatch: 1_500 });
  await installation.ended(await installation.resolve(workspace));
  const warnings = async () => (await installation.latest(workspace)).warnings;
  expect(await warnings()).toHaveLength(1);
  await installation.erased(
    await installation.erase(workspace, await profileOf(workspace, 'ada0')),
  );
  expect(await warnings()).toEqual([]);
  await installation.ended(await installation.resolve(workspace));
  expect(await warnings()).toEqual([]);
});

it('tells nothing of an erasure of another workspace', async () => {
  const { workspace, profile } = await resolvedPeople();
  await installation.start();
  const erasure = await installation.erase(workspace, profile);
  await installation.erased(erasure);
  const other = await installation.workspace();
  await expect(installation.erasure(other, erasure)).rejects.toMatchObject({
    code: 'ErasureNotExist',
  });
});

it('waits while the warehouse may not be written, and goes on afterwards', async () => {
  const { workspace, profile } = await resolvedPeople();
  await installation.warehouse(workspace, {}, 'Inspection');
  await installation.start();
  const erasure = await installation.erase(workspace, profile);
  await until(async () => (await installation.erasure(workspace, erasure)).endedAt === null);
  expect(await idsIn(workspace)).toHaveLength(3);
  await installation.warehouse(workspace, {}, 'Normal');
  expect((await installation.erased(erasure)).counts).toMatchObject(ERASED);
});

it('stops when the warehouse may not be written any more', async () => {
  const { workspace, profile } = await resolvedPeople();
  let begun = 0;
  await installation.start({}, async (method, work, signal) => {
    if (method === 'take') {
      begun += 1;
      if (begun === 1) await installation.warehouse(workspace, {}, 'Inspection');
      if (begun === 1) await until(() => signal?.aborted === true);
    }
    return work();
  });
  const erasure = await installation.erase(workspace, profile);
  await until(() => begun === 1);
  await until(async () => {
    const { rows } = await installation.pool.query(
      'SELECT FROM penstock_runs.erasures WHERE lease_until IS NULL AND epoch > 0',
    );
    return rows.length === 1;
  });
  expect(await idsIn(workspace)).toHaveLength(3);
  await installation.warehouse(workspace, {}, 'Normal');
  expect((await installation.erased(erasure)).counts).toMatchObject(ERASED);
});

it('tells what it waits for, and is never given up', async () => {
  const { workspace, profile } = await resolvedPeople();
  let isAway = true;
  await installation.start({}, (method, work) => {
    if (method === 'eraseEvents' && isAway) throw new WarehouseFault('unreachable', 'it is away');
    return work();
  });
  const erasure = await installation.erase(workspace, profile);
  await until(async () => (await installation.erasure(workspace, erasure)).error === 'it is away');
  isAway = false;
  expect(await installation.erased(erasure)).toMatchObject({ error: '', counts: ERASED });
});

/** Kills the executor at the n-th moment before or after a call. */
const killing = (at: number, kill: () => Promise<void>): Interception => {
  let moments = 0;
  const moment = async (): Promise<void> => {
    moments += 1;
    if (moments !== at) return;
    await kill();
    await new Promise(() => undefined);
  };
  return async (_, work) => {
    await moment();
    const result = await work();
    await moment();
    return result;
  };
};

it.each([2, 4, 6])('goes on when its executor is lost at moment %d', async (at) => {
  const { workspace, profile } = await resolvedPeople();
  await addErrors(workspace, CRM, ['7', '8']);
  let isKilled = false;
  const lost = await installation.start(
    { stopMs: 200 },
    killing(at, async () => {
      await lost.kill();
      isKilled = true;
    }),
  );
  const erasure = await installation.erase(workspace, profile);
  await until(() => isKilled);
  await installation.lapse();
  await installation.start();
  expect((await installation.erased(erasure)).counts).toMatchObject({ ...ERASED, samples: 1 });
  expect(await idsIn(workspace)).toEqual(['bob']);
  expect(await samples()).toEqual([['8']]);
});

it('is not kept by a renewal that comes after it was given back or postponed', async () => {
  const store = new PostgresErasureStore(installation.pool, { leaseMs: 10_000 });
  const [erasure, workspace] = [newId() as ErasureId, newId() as WorkspaceId];
  const organization = newId() as OrganizationId;
  const requestedAt = '2026-06-01T00:00:00.000Z' as Instant;
  await store.accept({ erasure, workspace, organization, profile: randomUUID(), requestedAt });
  const claimed = async () => {
    const claim = await store.claim('worker', [workspace]);
    if (claim === undefined) throw new Error('there is nothing to claim');
    return claim;
  };
  const first = await claimed();
  await store.release(first);
  expect(await store.renew(first)).toBe(false);
  const second = await claimed();
  await store.postpone(second, 0, '');
  expect(await store.renew(second)).toBe(false);
  await store.end(await claimed(), '');
});

it('tells the end of an erasure in a workspace that this executor has not read of yet', async () => {
  const executor = await installation.start();
  await executor.close();
  const store = new PostgresErasureStore(installation.pool, { leaseMs: 10_000 });
  const workspace = 'workspace0000002' as WorkspaceId;
  const erasure = newId() as ErasureId;
  const requestedAt = '2026-06-01T00:00:00.000Z' as Instant;
  const organization = 'organization0001' as OrganizationId;
  await store.accept({ erasure, workspace, organization, profile: randomUUID(), requestedAt });
  const claimed = await store.claim('worker', [workspace]);
  await store.end(claimed!, '');
  await installation.start();
  await until(async () => (await store.untold(1, [])).length === 0);
  // The end itself is told after that.
  const command = `after erasure ${erasure}`;
  expect(installation.triggers).toMatchObject([{ workspace, command }]);
});

it('two executors erase people of two workspaces, each once', async () => {
  const all = [await resolvedPeople(), await resolvedPeople()];
  await Promise.all([installation.start(), installation.start()]);
  const erasures: Awaited<ReturnType<typeof installation.erase>>[] = [];
  for (const { workspace, profile } of all)
    for (const each of [profile, await profileOf(workspace, 'bob')])
      erasures.push(await installation.erase(workspace, each));
  const counted = await Promise.all(erasures.map((each) => installation.erased(each)));
  const sum = (of: 'identities' | 'events') =>
    counted.reduce((total, { counts }) => total + counts[of], 0);
  expect([sum('identities'), sum('events')]).toEqual([6, 6]);
  expect(installation.erasureEnds).toHaveLength(4);
  for (const { workspace } of all) expect(await idsIn(workspace)).toEqual([]);
});
