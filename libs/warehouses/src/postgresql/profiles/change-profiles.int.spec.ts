import { OPTIONS } from '../../platform/warehouse-writer.contract';
import { FIRST_PROFILE_SCHEMA, type ProfileSchema, type WorkspaceId } from '@penstock/contracts';
import { newRecord, parseJson, parseSchema } from '@penstock/schema';
import fc from 'fast-check';
import type { ProfilesChange } from '../../platform/warehouse';
import { profilesDifference, type RePaths } from '../../profiles/profiles-difference';
import { SCHEMA, Stage } from '../stage.fixture';

const MINE = 'workspace0000001' as WorkspaceId;
const TABLES = ['_identities', '_profiles', 'identities', 'profiles'];

let stage: Stage;
let loader: string;

beforeEach(async () => {
  stage = await Stage.open();
  loader = await stage.loader();
  await stage.as(loader, (warehouse) => warehouse.initialise(MINE));
});
afterEach(() => stage.close());

/** A property of the model: a leaf with what its column holds, or an object. */
interface Node {
  readonly name: string;
  readonly value?: string | null;
  readonly inner?: readonly Node[];
}

const propertyOf = ({ name, inner }: Node): object => ({
  name,
  readOptional: true,
  type:
    inner === undefined
      ? { kind: 'string' }
      : { kind: 'object', properties: inner.map(propertyOf) },
});

const profilesOf = (version: number, nodes: readonly Node[]): ProfileSchema => {
  const json = JSON.stringify({ kind: 'object', properties: nodes.map(propertyOf) });
  return { version, schema: parseSchema(parseJson(json)) };
};

const changeOf = (
  from: ProfileSchema,
  to: ProfileSchema,
  rePaths: RePaths = new Map(),
  more: Partial<ProfilesChange> = {},
): ProfilesChange => {
  const difference = profilesDifference(from.schema, to.schema, rePaths);
  if ('issues' in difference) throw new Error(JSON.stringify(difference.issues));
  return { from, to, difference, marksAll: false, begun: () => Promise.resolve(), ...more };
};

const change = (given: ProfilesChange): Promise<void> =>
  stage.as(loader, (warehouse) => warehouse.changeProfiles(MINE, given));

const version = (): Promise<number | undefined> =>
  stage.as(loader, (warehouse) => warehouse.profilesVersion(MINE));

/** Column → value of every leaf, computed without the code under test. */
const valuesOf = (nodes: readonly Node[], prefix = ''): [string, string | null][] =>
  nodes.flatMap(({ name, value = null, inner }) =>
    inner === undefined ? [[`${prefix}${name}`, value]] : valuesOf(inner, `${prefix}${name}_`),
  );

/** What one step does with a list of properties, by numbers that a property test draws. */
type Step = readonly [action: number, one: number, other: number];

let fresh = 0;
const freshName = (): string => `p${String((fresh += 1))}`;

interface Changed {
  readonly nodes: readonly Node[];
  readonly rePaths: RePaths;
}

const renamedTo = (nodes: readonly Node[], index: number, name: string): Node[] =>
  nodes.map((node, at) => (at === index ? { ...node, name } : node));

const ACTIONS: readonly ((nodes: readonly Node[], one: number, other: number) => Changed)[] = [
  (nodes, one) => ({ nodes: nodes.toSpliced(one, 0, { name: freshName() }), rePaths: new Map() }),
  (nodes) => ({ nodes: [...nodes, { name: freshName() }], rePaths: new Map() }),
  (nodes) => ({
    nodes: [...nodes, { name: freshName(), inner: [{ name: 'x' }, { name: 'y' }] }],
    rePaths: new Map(),
  }),
  (nodes, one) => ({
    nodes: nodes.length > 1 ? nodes.toSpliced(one, 1) : nodes,
    rePaths: new Map(),
  }),
  (nodes, one) => {
    const name = freshName();
    const from = nodes[one]?.name ?? '';
    return { nodes: renamedTo(nodes, one, name), rePaths: new Map([[name, from]]) };
  },
  // Renamed, and a new one has the old name.
  (nodes, one) => {
    const [name, from] = [freshName(), nodes[one]?.name ?? ''];
    return {
      nodes: [...renamedTo(nodes, one, name), { name: from }],
      rePaths: new Map([
        [name, from],
        [from, null],
      ]),
    };
  },
  (nodes, one, other) => {
    const [first, second] = [nodes[one], nodes[other]];
    if (first === undefined || second === undefined || one === other)
      return { nodes, rePaths: new Map() };
    const swapped = renamedTo(renamedTo(nodes, one, second.name), other, first.name);
    const rePaths = [
      [first.name, second.name],
      [second.name, first.name],
    ] as const;
    return { nodes: swapped, rePaths: new Map(rePaths) };
  },
  (nodes, one) => {
    const node = nodes[one];
    if (node === undefined || node.inner !== undefined) return { nodes, rePaths: new Map() };
    return {
      nodes: nodes.with(one, { name: node.name }),
      rePaths: new Map([[node.name, null]]),
    };
  },
  (nodes) => ({ nodes: nodes.toReversed(), rePaths: new Map() }),
];

/** Gives every leaf a value of its own, in the model and in the only identity. */
const filled = async (nodes: readonly Node[]): Promise<readonly Node[]> => {
  let count = 0;
  const fill = (node: Node): Node =>
    node.inner === undefined
      ? { ...node, value: `v${String((count += 1))} of ${String(fresh)}` }
      : { ...node, inner: node.inner.map(fill) };
  const all = nodes.map(fill);
  const values = valuesOf(all);
  const set = values.map(([column, value]) => `"${column}" = '${value ?? ''}'`);
  const times = JSON.stringify(Object.fromEntries([['*', '0'], ...values]));
  await stage.run(
    `UPDATE ${SCHEMA}._identities SET ${set.join(', ')}, _property_times = '${times}'`,
  );
  return all;
};

const columnsOf = async (table: string): Promise<string[]> => {
  const rows = await stage.rows(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${SCHEMA}.${table}'::regclass
     AND attnum > 0 AND NOT attisdropped AND attname !~ '^_' ORDER BY attnum`,
  );
  return rows.map((row) => (row as { name: string }).name);
};

const checkWarehouse = async (profiles: ProfileSchema, nodes: readonly Node[]): Promise<void> => {
  const values = valuesOf(nodes);
  const names = values.map(([name]) => name);
  for (const table of TABLES) {
    const columns = await columnsOf(table);
    if (table.startsWith('_')) expect(columns.toSorted()).toEqual(names.toSorted());
    else expect(columns).toEqual(names);
  }
  const [row] = (await stage.rows(`SELECT * FROM ${SCHEMA}.identities`)) as [
    Record<string, unknown>,
  ];
  expect(names.map((name) => [name, row[name]])).toEqual(values);
  const known = values.filter(([, value]) => value !== null);
  expect(row['_property_times']).toEqual(Object.fromEntries([['*', '0'], ...known]));
  expect(await version()).toBe(profiles.version);
  // What a repair finds to do is what is not as a new warehouse would have it.
  const repaired = await stage.as(loader, (warehouse) => warehouse.repair(MINE, profiles));
  expect(repaired).toEqual([]);
};

const addIdentity = (): Promise<void> =>
  stage.run(
    `INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous, _updated_at)
     VALUES ('c', 'p', '1', false, now())`,
  );

it('any sequence of changes leaves columns, values, times and views as an independent model has them', async () => {
  const index = fc.nat(30);
  const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(ACTIONS.length - 1), index, index);
  await addIdentity();
  let profiles = FIRST_PROFILE_SCHEMA;
  let nodes: readonly Node[] = ['email', 'first_name', 'last_name'].map((name) => ({ name }));
  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const [action, one, other] of steps) {
      nodes = await filled(nodes);
      const at = [one % nodes.length, other % nodes.length] as const;
      const changed = ACTIONS[action]?.(nodes, ...at);
      if (changed === undefined) throw new Error('no such action');
      const next = profilesOf(profiles.version + 1, changed.nodes);
      await change(changeOf(profiles, next, changed.rePaths));
      [profiles, nodes] = [next, changed.nodes];
      await checkWarehouse(profiles, nodes);
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), run),
    // The sequences go on from each other: none can be shrunk.
    { numRuns: process.env['PENSTOCK_TEST_LONG'] === '1' ? 8 : 4, endOnFailure: true },
  );
}, 240_000);

const WIDER = profilesOf(2, [
  { name: 'email' },
  { name: 'first_name' },
  { name: 'last_name' },
  { name: 'phone' },
]);
const NARROWER = profilesOf(3, [{ name: 'phone' }, { name: 'email' }]);

it('keeps the rights on views, and what is built on them while only columns are added', async () => {
  const reader = await stage.role();
  await stage.run(
    `GRANT SELECT ON ${SCHEMA}.profiles TO ${reader} WITH GRANT OPTION`,
    `GRANT SELECT (email, first_name) ON ${SCHEMA}.identities TO ${reader}`,
    `CREATE VIEW public.mine AS SELECT email FROM ${SCHEMA}.profiles`,
  );
  await change(changeOf(FIRST_PROFILE_SCHEMA, WIDER));
  await stage.run('SELECT email FROM public.mine', 'DROP VIEW public.mine');
  await change(changeOf(WIDER, NARROWER));
  const rights = await stage.rows(
    `SELECT has_table_privilege('${reader}', '${SCHEMA}.profiles', 'SELECT WITH GRANT OPTION') AS whole,
            has_column_privilege('${reader}', '${SCHEMA}.identities', 'email', 'SELECT') AS email,
            has_column_privilege('${reader}', '${SCHEMA}.identities', 'phone', 'SELECT') AS phone`,
  );
  expect(rights).toEqual([{ whole: true, email: true, phone: false }]);
});

it('refuses to drop what somebody has built on a view, and changes nothing', async () => {
  await stage.run(`CREATE VIEW public.mine AS SELECT email FROM ${SCHEMA}.profiles`);
  const next = profilesOf(2, [{ name: 'email' }]);
  await expect(change(changeOf(FIRST_PROFILE_SCHEMA, next))).rejects.toMatchObject({
    kind: 'unusable',
  });
  await stage.run('DROP VIEW public.mine', `SELECT first_name FROM ${SCHEMA}.profiles`);
  expect(await version()).toBe(1);
});

it('makes nothing of what a former workspace has left under the names of new properties', async () => {
  await addIdentity();
  for (const column of ['phone', 'mail'])
    await stage.run(
      `ALTER TABLE ${SCHEMA}._identities ADD COLUMN ${column} integer DEFAULT 7`,
      `ALTER TABLE ${SCHEMA}._profiles ADD COLUMN ${column} integer`,
    );
  await stage.run(
    `UPDATE ${SCHEMA}._identities SET email = 'e', _property_times = '{"*": "0", "mail": "1", "email": "2"}'`,
  );
  const nodes = [{ name: 'mail', value: '2' }, { name: 'phone' }];
  const next = profilesOf(2, nodes);
  await change(changeOf(FIRST_PROFILE_SCHEMA, next, new Map([['mail', 'email']])));
  await stage.run(`UPDATE ${SCHEMA}._identities SET mail = '2' WHERE mail = 'e'`);
  await checkWarehouse(next, nodes);
});

it('marks all identities where the primary sources change, and else none', async () => {
  await addIdentity();
  await change(changeOf(FIRST_PROFILE_SCHEMA, WIDER));
  expect(await stage.rows(`SELECT identity FROM ${SCHEMA}._dirty`)).toEqual([]);
  const same = { ...WIDER, version: 3 };
  await change(changeOf(WIDER, same, new Map(), { marksAll: true }));
  expect(await stage.rows(`SELECT change FROM ${SCHEMA}._dirty`)).toEqual([{ change: 'changed' }]);
});

it('a dry run, and a beginning that is refused, leave everything as it was', async () => {
  await change(changeOf(FIRST_PROFILE_SCHEMA, WIDER, new Map(), { isDryRun: true }));
  const begun = () => Promise.reject(new TypeError('refused'));
  await expect(change(changeOf(FIRST_PROFILE_SCHEMA, WIDER, new Map(), { begun }))).rejects.toThrow(
    'refused',
  );
  expect([await version(), await columnsOf('profiles')]).toEqual([
    1,
    ['email', 'first_name', 'last_name'],
  ]);
});

it('nobody else changes or repairs meanwhile, and a worker that is lost holds nobody up', async () => {
  const busy = { kind: 'busy' };
  const lost = new AbortController();
  const begun = async (): Promise<void> => {
    await expect(change(changeOf(FIRST_PROFILE_SCHEMA, WIDER))).rejects.toMatchObject(busy);
    await expect(version()).rejects.toMatchObject(busy);
    const repair = stage.as(loader, (other) => other.repair(MINE, FIRST_PROFILE_SCHEMA));
    await expect(repair).rejects.toMatchObject(busy);
    lost.abort();
  };
  const cut = stage.cut(loader, lost.signal, (warehouse) =>
    warehouse.changeProfiles(MINE, changeOf(FIRST_PROFILE_SCHEMA, WIDER, new Map(), { begun })),
  );
  await expect(cut).rejects.toMatchObject({ kind: 'unreachable' });
  await stage.untilFree(() => version());
  expect(await version()).toBe(1);
  await change(changeOf(FIRST_PROFILE_SCHEMA, WIDER));
  await expect(change(changeOf(FIRST_PROFILE_SCHEMA, WIDER))).rejects.toMatchObject({
    kind: 'outdated',
  });
});

it('can be interrupted, which leaves a repair alone', async () => {
  const interrupt = () => stage.as(loader, (other) => other.interruptChange());
  await interrupt();
  const begun = async (): Promise<void> => {
    await interrupt();
  };
  const interrupted = change(changeOf(FIRST_PROFILE_SCHEMA, WIDER, new Map(), { begun }));
  await expect(interrupted).rejects.toMatchObject({ kind: 'unreachable' });
  await stage.untilFree(() => version());
  expect(await version()).toBe(1);

  await stage.run(`DROP VIEW ${SCHEMA}.events`, 'BEGIN', `LOCK TABLE ${SCHEMA}._events`);
  const repair = stage.as(loader, (other) => other.repair(MINE, FIRST_PROFILE_SCHEMA));
  const waiting = `SELECT FROM pg_locks WHERE NOT granted
                     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while ((await stage.rows(waiting)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await interrupt();
  await stage.run('COMMIT');
  expect(await repair).toEqual(['events']);
});

it('waits ten seconds for a lock and then changes nothing', async () => {
  await stage.run('BEGIN', `SELECT FROM ${SCHEMA}.profiles`);
  const startedMs = performance.now();
  await expect(change(changeOf(FIRST_PROFILE_SCHEMA, WIDER))).rejects.toMatchObject({
    kind: 'locked',
  });
  expect(performance.now() - startedMs).toBeGreaterThan(9_000);
  await stage.run('COMMIT');
  expect(await version()).toBe(1);
}, 30_000);

it('a writer writes by the old schema until the change, and is told of it after that', async () => {
  const writer = await stage.writer(loader, OPTIONS);
  const identities = await writer.begin({ role: 'events', epoch: 1 });
  let written = 0;
  const writing = (async (): Promise<unknown> => {
    for (;;) {
      const values = Object.assign(newRecord(), { email: `${String(written)}@example.com` });
      const update = {
        kind: 'event' as const,
        recordId: String(written),
        updatedAtUs: 1n,
        tieBreaker: '',
        anonymous: false,
        values,
      };
      const batch = { pipeline: 'p' as never, connection: 'c' as never, updates: [update] };
      try {
        await identities.write(batch);
        written += 1;
      } catch (error) {
        return error;
      }
    }
  })();
  while (written < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  await change(changeOf(FIRST_PROFILE_SCHEMA, WIDER));
  await change(changeOf(WIDER, NARROWER));
  expect(await writing).toMatchObject({ kind: 'outdated' });
  await writer.close();
  const rows = await stage.rows(`SELECT count(email)::int AS count FROM ${SCHEMA}.identities`);
  expect(rows).toEqual([{ count: written }]);
}, 30_000);
