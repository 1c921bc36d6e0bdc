import { WarehouseFault, type WarehouseFaultKind } from '../../platform/warehouse';
import { imported, MINE } from '../../platform/warehouse-writer.contract';
import type { Resolver } from '../../platform/resolver';
import { MAX_RESOLVED } from '../../platform/resolver';
import { LOCK } from '../layout/lock';
import { SCHEMA } from '../stage.fixture';
import { besideResolution } from './beside-resolution';
import { NEVER, OPTIONS, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

jest.setTimeout(60_000);

const BY = rules(['email']);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

/** Whatever a resolution may change. */
const contents = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    [
      'identities',
      'identity_keys',
      'profiles',
      'profile_aliases',
      'dirty',
      'moving',
      'outbox',
      'events',
    ]
      .map(
        (name) =>
          `SELECT '${name}' AS name, coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text), '[]') AS rows
           FROM ${SCHEMA}._${name} AS t`,
      )
      .join(' UNION ALL '),
  );

const stages = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    `SELECT oid FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relname LIKE '\\_stage\\_%'`,
  );

const temporary = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    `SELECT oid, relname FROM pg_class WHERE relpersistence = 't' AND relname LIKE '\\_stage\\_%' ORDER BY oid`,
  );

/** Every method that changes something. */
const CHANGING: Readonly<Record<string, (resolver: Resolver) => Promise<unknown>>> = {
  resolve: (resolver) => resolver.resolve(10, NEVER),
  takeApart: (resolver) => resolver.takeApart(),
  forgetFacts: (resolver) => resolver.forgetFacts('1'),
};

const READING: typeof CHANGING = {
  pending: (resolver) => resolver.pending(),
  sharedValues: (resolver) => resolver.sharedValues(),
  facts: (resolver) => resolver.facts(10),
};

const isRejected = async (work: Promise<unknown>, kind: WarehouseFaultKind): Promise<void> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WarehouseFault);
  expect((error as WarehouseFault).kind).toBe(kind);
};

const some = () =>
  stage.write('c1', [imported('u', 1, { email: 'a' }), imported('v', 1, { email: 'a' })]);

/** A second session holds what another operation would. */
const whileHeld = async (lock: string, work: () => Promise<void>): Promise<void> => {
  const owner = stage.written.stage;
  await owner.run(`SELECT pg_advisory_lock(${lock})`);
  try {
    await work();
  } finally {
    await owner.run(`SELECT pg_advisory_unlock(${lock})`);
  }
};

it.each(Object.entries({ ...CHANGING, ...READING }))('%s is fenced', async (_, method) => {
  await some();
  const old = await stage.resolver(BY);
  await stage.resolver(BY);
  const before = await contents();
  await isRejected(method(old), 'fenced');
  expect(await contents()).toEqual(before);
});

it.each(Object.entries({ ...CHANGING, ...READING }))(
  '%s is outdated by another schema of profiles',
  async (_, method) => {
    await some();
    const resolver = await stage.resolver(BY);
    const before = await contents();
    await stage.written.setSchemaVersion(2);
    await isRejected(method(resolver), 'outdated').finally(() => stage.written.setSchemaVersion(1));
    expect(await contents()).toEqual(before);
  },
);

it.each(Object.entries(CHANGING))(
  '%s is busy at once while the warehouse is changed',
  async (_, method) => {
    await some();
    const resolver = await stage.resolver(BY);
    const before = await contents();
    await whileHeld(LOCK.replace('$1', `'${SCHEMA}'`), () => isRejected(method(resolver), 'busy'));
    expect(await contents()).toEqual(before);
    await method(resolver);
  },
);

/** SQL of the lock that excludes writers. */
const RESOLVING = `hashtextextended('penstock resolution ${SCHEMA}', 0)`;

const isSomebodyWaiting = async (): Promise<void> => {
  for (;;) {
    const [row] = await stage.written.stage.rows(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    if ((row as { n: number }).n > 0) return;
  }
};

it('forgets facts while a batch is under way', async () => {
  await some();
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  await stage.write('c1', [imported('u', 2, { email: 'b' })]);
  await whileHeld(RESOLVING, async () => {
    const resolving = resolver.resolve(10, NEVER);
    await isSomebodyWaiting();
    expect(await stage.takeFacts(resolver)).toMatchObject([{ type: 'ProfileCreated' }]);
    await stage.written.stage.run(`SELECT pg_advisory_unlock(${RESOLVING})`);
    expect(await resolving).toMatchObject({ identities: 1 });
    await stage.written.stage.run(`SELECT pg_advisory_lock(${RESOLVING})`);
  });
  expect(await stage.takeFacts(resolver)).toMatchObject([{ type: 'ProfileSplit' }]);
});

it('keeps a change from beginning, and is given up without a trace', async () => {
  await some();
  const resolver = await stage.resolver(BY);
  const before = await contents();
  const giving = new AbortController();
  const { written } = stage;
  // As a writer would, so that the batch waits.
  await whileHeld(RESOLVING, async () => {
    const outcome = resolver.resolve(10, giving.signal).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await isSomebodyWaiting();
    await written.stage.as(written.loader, async (warehouse) => {
      await isRejected(warehouse.profilesVersion(MINE), 'busy');
    });
    giving.abort(new Error('no longer wanted'));
    expect(await outcome).toMatchObject({ message: 'no longer wanted' });
  });
  expect(await contents()).toEqual(before);
  expect(await stages()).toEqual([]);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(1);
});

it('is given up at any moment without a trace', async () => {
  await stage.write(
    'c1',
    Array.from({ length: 300 }, (_, at) => imported(`u${at}`, 1, { email: `e${at % 100}` })),
  );
  const resolver = await stage.resolver(BY);
  const before = await contents();
  let givenUp = 0;
  for (let afterMs = 0; afterMs < 400; afterMs += 25) {
    const signal = AbortSignal.timeout(afterMs);
    const resolved = await resolver.resolve(1_000, signal).catch(() => undefined);
    if (resolved !== undefined) break;
    givenUp += 1;
    expect(await contents()).toEqual(before);
  }
  expect(givenUp).toBeGreaterThan(0);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(100);
  expect(await stages()).toEqual([]);
});

it('changes nothing and records nothing when nothing was changed', async () => {
  await some();
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  expect(await resolver.pending()).toBe(0);
  const before = await contents();
  expect(await resolver.resolve(1, NEVER)).toEqual({
    ...{ identities: 0, created: 0, merged: 0, split: 0, deleted: 0, isLast: true },
  });
  expect(await contents()).toEqual(before);
});

it('makes its tables once, for all batches', async () => {
  await some();
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  const made = await temporary();
  expect(made).not.toEqual([]);
  await stage.write('c1', [imported('u', 2, { email: 'b' })]);
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ split: 1, isLast: true });
  expect(await temporary()).toEqual(made);
  expect(await stages()).toEqual([]);
});

it('takes as many changed identities as it may, the first ones first', async () => {
  for (const id of ['u', 'v', 'w']) await stage.write('c1', [imported(id, 1, { email: id })]);
  const resolver = await stage.resolver(BY);
  expect(await resolver.pending()).toBe(3);
  expect(await resolver.resolve(2, NEVER)).toMatchObject({ identities: 2, isLast: false });
  const resolved = (await stage.rows()).filter(({ _profile_id }) => _profile_id !== null);
  expect(resolved.map(({ _record_id }) => _record_id)).toEqual(['u', 'v']);
  expect(await resolver.resolve(2, NEVER)).toMatchObject({ identities: 1, isLast: true });
});

it('tells anybody how many identities are to be resolved, and for how long the first of them has been', async () => {
  const { stage: owner, loader } = stage.written;
  const unresolved = (workspace = MINE) =>
    owner.as(loader, (warehouse) => warehouse.unresolved(workspace));
  expect(await unresolved()).toEqual({ count: 0, waitingMs: null });
  await some();
  await owner.run(`UPDATE ${SCHEMA}._dirty SET since = since - interval '1 hour' WHERE identity =
    (SELECT min(identity) FROM ${SCHEMA}._dirty)`);
  const { count, waitingMs } = await unresolved();
  expect(count).toBe(2);
  expect(waitingMs).toBeGreaterThanOrEqual(3_600_000);
  expect(waitingMs).toBeLessThan(3_900_000);
  await isRejected(unresolved('another000000001' as typeof MINE), 'foreign');
  await resolveAll(await stage.resolver(BY));
  expect(await unresolved()).toEqual({ count: 0, waitingMs: null });
});

it.each([0, 1.5, MAX_RESOLVED + 1])('refuses to take %d at once', async (limit) => {
  const resolver = await stage.resolver(BY);
  await expect(resolver.resolve(limit, NEVER)).rejects.toThrow(RangeError);
});

it('refuses identifiers that are too many, unknown, or of a kind that joins nobody', async () => {
  for (const identifiers of [Array.from({ length: 17 }, () => 'email'), ['none'], ['tags']])
    await expect(stage.resolver(rules(identifiers))).rejects.toThrow(RangeError);
});

it('lets writers go on while one of them is stuck, and resolves afterwards', async () => {
  const { stage: owner } = stage.written;
  await stage.write('c1', [imported('u1', 1, { email: 'e1' })]);
  const resolver = await stage.resolver(BY);
  await owner.run('BEGIN', besideResolution(SCHEMA));
  const resolving = resolver.resolve(10, NEVER);
  await owner.run('SELECT pg_sleep(0.5)');
  await stage.write('c1', [imported('u2', 1, { email: 'e2' })]);
  await owner.run('COMMIT');
  expect(await resolving).toMatchObject({ created: 1 });
});

it('ends however much is written meanwhile, which the next ones resolve', async () => {
  const say = async (n: number): Promise<void> => {
    await stage.write('c1', [imported(`u${n}`, 1, { email: `e${n}` })]);
    await stage.event('c1', `a${n}`, `u${n}`);
  };
  await say(0);
  const resolver = await stage.resolver(BY);
  let batches = 0;
  for (let isLast = false; !isLast; batches += 1) {
    ({ isLast } = await resolver.resolve(10, NEVER));
    await say(batches + 1);
  }
  expect(batches).toBeLessThan(5);
  expect(await resolver.pending()).toBe(batches);
  await resolveAll(resolver);
  expect(await resolver.pending()).toBe(0);
  expect(await stage.profiles()).toHaveLength(batches + 1);
});

it('names values that more than a thousand identities have', async () => {
  const having = (prefix: string, count: number, email: string) =>
    Array.from({ length: count }, (_, at) => imported(`${prefix}${at}`, 1, { email }));
  await stage.write('c1', having('a', 1_000, 'enough'));
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  expect(await resolver.sharedValues()).toEqual([]);
  const long = 'l'.repeat(3_000);
  await stage.write('c1', [imported('more', 1, { email: 'enough' })]);
  await stage.write('c1', having('b', 1_002, long));
  await resolveAll(resolver);
  expect(await resolver.sharedValues()).toEqual([
    { identifier: 'email', value: long.slice(0, 2_000), identities: 1_002 },
    { identifier: 'email', value: 'enough', identities: 1_001 },
  ]);
  expect(await stage.profiles()).toHaveLength(2);
});

it('of a user who may make no temporary tables', async () => {
  const { stage: owner, loader } = stage.written;
  const [row] = await owner.rows('SELECT current_database() AS name');
  const { name } = row as { name: string };
  await owner.run(`REVOKE TEMPORARY ON DATABASE "${name}" FROM PUBLIC`);
  try {
    await some();
    const writers = await owner.writer(loader, OPTIONS);
    const resolver = await writers.beginResolution({ role: 'resolution', epoch: 1_000 }, BY);
    await resolveAll(resolver);
    await writers.close();
    expect(await stage.profiles()).toHaveLength(1);
  } finally {
    await owner.run(`GRANT TEMPORARY ON DATABASE "${name}" TO PUBLIC`);
    await owner.run(`DELETE FROM ${SCHEMA}._fences WHERE role = 'resolution'`);
  }
});
