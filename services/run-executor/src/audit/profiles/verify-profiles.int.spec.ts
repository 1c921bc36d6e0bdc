import { randomUUID } from 'node:crypto';
import {
  PARTITIONS,
  type ProfileFact,
  type PublishedProfileFact,
  TOPIC,
  topics,
  type WorkspaceId,
} from '@penstock/contracts';
import { type MessageLog, type NewMessage, PrefixedLog } from '@penstock/messaging';
import type { Verified } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { createWarehouses, WarehouseFault } from '@penstock/warehouses';
import fc from 'fast-check';
import {
  type Interception,
  ResolutionInstallation,
  secrets,
  type WrittenIdentity,
} from '../../testing/resolution-installation.fixture';
import { verifyProfiles } from './verify-profiles';

jest.setTimeout(600_000);

/** The long form tries new values. */
const RANDOM =
  process.env['PENSTOCK_TEST_LONG'] === '1' ? { numRuns: 20 } : { numRuns: 2, seed: 1 };

let installation: ResolutionInstallation;
/** Whether every second publication is repeated, as after the death of whoever has published. */
let forgotten = 0;

const lossy: Interception = (method, work) => {
  if (method === 'forgetFacts' && (forgotten += 1) % 2 === 1)
    return Promise.reject(new WarehouseFault('unreachable', 'the answer is lost'));
  return work();
};

beforeAll(async () => {
  installation = await ResolutionInstallation.open();
  await installation.start({}, lossy);
});
afterAll(() => installation.close());

const warehouses = createWarehouses({ allow: ['127.0.0.0/8'] });

const verify = (log: MessageLog = installation.log): Promise<Verified> =>
  verifyProfiles({ log, warehouses, secrets });

const found = async (log?: MessageLog): Promise<string[]> => {
  const { differences } = await verify(log);
  return differences.map(({ where, what }) => `${where} ${what}`);
};

const schemaOf = (workspace: WorkspaceId): string => `w_${workspace.toLowerCase()}`;

const sql = (workspace: WorkspaceId, text: string, ...values: unknown[]) =>
  installation.pool.query<Record<string, string>>(
    text.replaceAll('@', `${schemaOf(workspace)}.`),
    values.length === 0 ? undefined : values,
  );

const resolve = async (workspace: WorkspaceId, full = false): Promise<void> => {
  const ended = await installation.ended(await installation.resolve(workspace, { full }));
  expect(ended.status).toBe('Succeeded');
};

/** As a run does that has not seen the record. */
const purge = (workspace: WorkspaceId, recordId: string): Promise<unknown> =>
  sql(
    workspace,
    `WITH gone AS (DELETE FROM @_identities WHERE _record_id = $1 RETURNING _id, _profile_id)
     INSERT INTO @_dirty (identity, change, profile_id) SELECT _id, 'removed', _profile_id FROM gone
     ON CONFLICT (identity) DO UPDATE SET change = excluded.change, profile_id = excluded.profile_id`,
    recordId,
  );

const someProfile = async (workspace: WorkspaceId): Promise<string | undefined> => {
  const { rows } = await sql(
    workspace,
    'SELECT _profile_id AS id FROM @_profiles ORDER BY 1 LIMIT 1',
  );
  return rows[0]?.['id'];
};

type Step =
  | { readonly kind: 'write'; readonly source: string; readonly users: readonly WrittenIdentity[] }
  | { readonly kind: 'purge'; readonly recordId: string }
  | { readonly kind: 'resolve'; readonly full: boolean }
  | { readonly kind: 'erase' }
  | { readonly kind: 'identifiers'; readonly identifiers: readonly string[] };

const recordId = fc.integer({ min: 0, max: 30 }).map((n) => `u${String(n)}`);
const user = fc.record(
  {
    recordId,
    email: fc.integer({ min: 0, max: 12 }).map((n) => `${String(n)}@example.com`),
    firstName: fc.integer({ min: 0, max: 6 }).map((n) => `n${String(n)}`),
  },
  { requiredKeys: ['recordId'] },
);
const write: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('write' as const),
  source: fc.constantFrom('s1', 's2'),
  users: fc.uniqueArray(user, { minLength: 1, maxLength: 15, selector: (each) => each.recordId }),
});
const resolving: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('resolve' as const),
  full: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: write },
  { weight: 4, arbitrary: resolving },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('purge' as const), recordId }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'erase' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('identifiers' as const),
      identifiers: fc.constantFrom(['email'], ['first_name', 'email'], ['email', 'first_name']),
    }),
  },
);

const perform = async (workspace: WorkspaceId, each: Step): Promise<void> => {
  switch (each.kind) {
    case 'write':
      return installation.write(workspace, each.source, each.users);
    case 'purge':
      await purge(workspace, each.recordId);
      return;
    case 'resolve':
      return resolve(workspace, each.full);
    case 'identifiers':
      await installation.warehouse(workspace, { identifiers: each.identifiers });
      return resolve(workspace, true);
    case 'erase': {
      const profile = await someProfile(workspace);
      if (profile === undefined) return;
      await installation.erased(await installation.erase(workspace, profile));
    }
  }
};

it('finds no difference whatever is resolved, and whatever is not yet', async () => {
  const steps = fc.array(step, { minLength: 6, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const workspace = await installation.workspace();
      for (const each of all) {
        await perform(workspace, each);
        expect(await found()).toEqual([]);
      }
      await installation.remove(workspace);
    }),
    { ...RANDOM, endOnFailure: true },
  );
});

it('finds no difference while profiles are resolved', async () => {
  const workspace = await installation.workspace();
  const over = new AbortController();
  let round = 0;
  const working = (async () => {
    for (; !over.signal.aborted; round += 1) {
      const users = Array.from({ length: 40 }, (_, nth) => ({
        recordId: `u${String(nth)}`,
        email: `${String((nth * (round + 1)) % 17)}@example.com`,
      }));
      await installation.write(workspace, 's1', users);
      await resolve(workspace);
    }
  })();
  try {
    for (let nth = 0; nth < 8 || round < 3; nth += 1) expect(await found()).toEqual([]);
  } finally {
    over.abort();
    await working;
  }
  await installation.remove(workspace);
});

it.each([
  ['was resolved before', () => told()],
  ['was never resolved', () => unresolved()],
])('leaves out what is told after the moment of a warehouse that %s', async (_, made) => {
  const workspace = await made();
  const { log } = installation;
  let reads = 0;
  const working: Pick<MessageLog, 'follow' | 'read' | 'endOffsets'> = {
    follow: (options) => log.follow(options),
    read: (...all) => log.read(...all),
    endOffsets: async (topic) => {
      reads += 1;
      // The first read of the topic is before that moment, the second one after it.
      if (reads === 2) {
        await installation.write(workspace, 's1', [
          { recordId: 'b1', email: 'g' },
          { recordId: 'z1', email: 'a' },
          { recordId: 'z2', email: 'z' },
        ]);
        await resolve(workspace);
      }
      return log.endOffsets(topic);
    },
  };
  expect(await found(working as MessageLog)).toEqual([]);
  expect(reads).toBe(2);
  expect(await found()).toEqual([]);
  await installation.remove(workspace);
});

it('names the profiles of a warehouse that was emptied', async () => {
  const workspace = await told();
  const { rows } = await sql(workspace, 'SELECT _profile_id AS id FROM @_profiles ORDER BY 1');
  const all = ['_identities', '_profiles', '_profile_aliases', '_outbox', '_profile_history'];
  await sql(workspace, `TRUNCATE ${all.map((table) => `@${table}`).join(', ')}`);
  const missing = rows.map(({ id }) => `warehouse ${workspace} _profiles ${id!} is missing`);
  expect(await found()).toEqual(expect.arrayContaining(missing));
  await installation.remove(workspace);
});

const unresolved = async (): Promise<WorkspaceId> => {
  const workspace = await installation.workspace();
  await installation.write(workspace, 's1', [
    { recordId: 'a1', email: 'a' },
    { recordId: 'b1', email: 'a' },
  ]);
  return workspace;
};

/**
 * A profile of two identities; one that has absorbed another; one that was split, and what came of it; one that is gone.
 */
const told = async (): Promise<WorkspaceId> => {
  const workspace = await installation.workspace();
  const say = (...users: WrittenIdentity[]) => installation.write(workspace, 's1', users);
  await say(
    ...[
      { recordId: 'a1', email: 'a' },
      { recordId: 'a2', email: 'a' },
    ],
    ...[
      { recordId: 'b1', email: 'b' },
      { recordId: 'c1', email: 'c' },
    ],
    ...[
      { recordId: 'd1', email: 'd' },
      { recordId: 'd2', email: 'd' },
    ],
    { recordId: 'e1', email: 'e' },
  );
  await resolve(workspace);
  await say({ recordId: 'c1', email: 'b' }, { recordId: 'd2', email: 'f' });
  await purge(workspace, 'e1');
  await resolve(workspace);
  return workspace;
};

it.each([
  ['everything', (schema: string) => `DROP SCHEMA ${schema.slice(0, -1)} CASCADE`],
  ['_profiles', () => 'DROP TABLE @_profiles CASCADE'],
  ['_meta', () => 'DROP TABLE @_meta'],
])('finds no difference after a repair of a warehouse that had lost %s', async (_, lose) => {
  const workspace = await told();
  await sql(workspace, lose(`${schemaOf(workspace)}.`));
  await installation.repair(workspace);
  await resolve(workspace, true);
  expect(await found()).toEqual([]);
  await installation.write(workspace, 's1', [
    { recordId: 'a1', email: 'a' },
    { recordId: 'a2', email: 'h' },
    { recordId: 'b1', email: 'b' },
    { recordId: 'i1', email: 'a' },
  ]);
  await resolve(workspace);
  expect(await found()).toEqual([]);
  await installation.remove(workspace);
});

it('names the profiles whose identities were lost', async () => {
  const workspace = await told();
  await sql(workspace, 'DROP TABLE @_identities CASCADE');
  await installation.repair(workspace);
  await resolve(workspace, true);
  const { rows } = await sql(
    workspace,
    'SELECT _profile_id AS id, _identities AS count FROM @_profiles ORDER BY 1',
  );
  expect(await found()).toEqual(
    rows.map(
      ({ id, count }) => `warehouse ${workspace} _profiles ${id!} has 0 identities, not ${count!}`,
    ),
  );
  await installation.remove(workspace);
});

const TABLES = ['_profiles', '_identities', '_profile_aliases'];

describe('a difference', () => {
  let workspace: WorkspaceId;
  let facts: readonly PublishedProfileFact[];

  beforeAll(async () => {
    workspace = await told();
    facts = await installation.published(workspace);
    expect(facts.map(({ fact }) => fact.type)).toEqual([
      ...Array.from({ length: 5 }, () => 'ProfileCreated'),
      ...['ProfileSplit', 'ProfilesMerged', 'ProfileDeleted'],
    ]);
    expect(await found()).toEqual([]);
    for (const table of TABLES)
      await sql(workspace, `CREATE TABLE @kept${table} AS SELECT * FROM @${table}`);
  });

  /** What was changed is as it was. */
  afterEach(async () => {
    for (const table of TABLES)
      await sql(
        workspace,
        `DELETE FROM @${table}; INSERT INTO @${table} OVERRIDING SYSTEM VALUE SELECT * FROM @kept${table}`,
      );
  });

  const identityOf = async (record: string): Promise<{ number: string; profile: string }> => {
    const { rows } = await sql(
      workspace,
      'SELECT _id::text AS number, _profile_id AS profile FROM @_identities WHERE _record_id = $1',
      record,
    );
    return { number: rows[0]!['number']!, profile: rows[0]!['profile']! };
  };
  const factsOf = <Type extends ProfileFact['type']>(type: Type) =>
    facts.flatMap(({ fact, ...published }) =>
      fact.type === type
        ? [{ ...published, fact: fact as Extract<ProfileFact, { type: Type }> }]
        : [],
    );
  const factOf = <Type extends ProfileFact['type']>(type: Type) => factsOf(type)[0]!;
  const at = (table: string, row: string): string => `warehouse ${workspace} ${table} ${row}`;

  it('of a profile that is gone from the warehouse is named', async () => {
    const { profile } = await identityOf('a1');
    await sql(workspace, 'DELETE FROM @_profiles WHERE _profile_id = $1', profile);
    expect(await found()).toEqual([`${at('_profiles', profile)} is missing`]);
  });

  it('of a profile that nobody has told of is named', async () => {
    const id = randomUUID();
    await sql(workspace, 'INSERT INTO @_profiles (_profile_id) VALUES ($1)', id);
    expect(await found()).toEqual([`${at('_profiles', id)} is in no fact`]);
  });

  it('of a profile that came back is named', async () => {
    const { number, fact } = factOf('ProfileDeleted');
    await sql(workspace, 'INSERT INTO @_profiles (_profile_id) VALUES ($1)', fact.id);
    expect(await found()).toEqual([
      `${at('_profiles', fact.id)} should not be there after number ${number}`,
    ]);
  });

  it('of an identity that was moved is named, with the profiles whose identities are others', async () => {
    const [moved, other] = [await identityOf('a2'), await identityOf('b1')];
    await sql(
      workspace,
      'UPDATE @_identities SET _profile_id = $1 WHERE _record_id = $2',
      other.profile,
      'a2',
    );
    const counts = [
      `${at('_profiles', moved.profile)} has 1 identities, not 2`,
      `${at('_profiles', other.profile)} has 3 identities, not 2`,
    ].sort();
    expect(await found()).toEqual([
      `${at('_identities', moved.number)} is in ${other.profile}, not in ${moved.profile}`,
      ...counts,
    ]);
  });

  it('of an identity in a profile that is not there is named', async () => {
    const moved = await identityOf('a2');
    const nowhere = randomUUID();
    await sql(
      workspace,
      'UPDATE @_identities SET _profile_id = $1 WHERE _record_id = $2',
      nowhere,
      'a2',
    );
    expect(await found()).toEqual([
      `${at('_identities', moved.number)} is in ${nowhere}, which does not live by the facts`,
      `${at('_identities', moved.number)} is in ${nowhere}, not in ${moved.profile}`,
      `${at('_profiles', moved.profile)} has 1 identities, not 2`,
    ]);
  });

  it('of an id that was absorbed is named', async () => {
    const { fact } = factOf('ProfilesMerged');
    const [alias = ''] = fact.absorbed;
    const { profile: other } = await identityOf('a1');
    await sql(workspace, 'UPDATE @_profile_aliases SET profile_id = $1', other);
    expect(await found()).toEqual([
      `${at('_profile_aliases', alias)} names ${other}, not ${fact.survivor}`,
    ]);
    await sql(workspace, 'UPDATE @_profile_aliases SET alias = $1', other);
    expect(await found()).toEqual([
      `${at('_profile_aliases', other)} should not be there`,
      `${at('_profile_aliases', alias)} is missing`,
    ]);
  });

  /** A log with the configuration, and what is made of the facts. */
  const logWith = async (
    change: (all: readonly NewMessage[]) => readonly NewMessage[],
  ): Promise<MessageLog> => {
    const other = new PrefixedLog(installation.log, `${newId()}.`);
    await other.ensureTopics(topics(PARTITIONS.embedded));
    const { records } = await installation.log.read(TOPIC.configurationState, 0, 0, 10_000_000);
    await other.append(
      TOPIC.configurationState,
      records.map(({ key, value }) => ({ key, value })),
    );
    await other.append(TOPIC.profiles, change(facts.map((fact) => message(fact))));
    return other;
  };
  const message = (fact: PublishedProfileFact): NewMessage => ({
    key:
      'survivor' in fact.fact
        ? fact.fact.survivor
        : 'kept' in fact.fact
          ? fact.fact.kept
          : fact.fact.id,
    value: JSON.stringify(fact),
  });
  const without = ({ id }: PublishedProfileFact) =>
    logWith((all) =>
      all.filter(({ value }) => (JSON.parse(value ?? '') as PublishedProfileFact).id !== id),
    );
  const number = (more: number): string => String(Number(facts.at(-1)!.number) + more);
  const forged = (fact: ProfileFact, more = 0): PublishedProfileFact => ({
    ...facts.at(-1)!,
    ...{ id: `${workspace}:${number(more)}:9`, number: number(more), fact },
  });
  const names = ({ number: nth }: PublishedProfileFact, profile: string): string =>
    `profiles ${profile} number ${nth}`;

  it('is none where facts are told again', async () => {
    expect(await found(await logWith((all) => [...all, ...all.slice(2), ...all]))).toEqual([]);
  });

  it('of a fact that is told again with other content is named', async () => {
    const made = factOf('ProfileCreated');
    const other = { ...made, fact: { ...made.fact, identities: ['1', '2', '3'] } };
    expect(await found(await logWith((all) => [...all, message(other)]))).toEqual([
      `${names(made, made.fact.id)} is there again, with different content`,
    ]);
  });

  it('of a creation that is missing is named', async () => {
    const { profile } = await identityOf('a1');
    const made = factsOf('ProfileCreated').find(({ fact }) => fact.id === profile)!;
    const differences = await found(await without(made));
    expect(differences).toContain(`${at('_profiles', profile)} is in no fact`);
    expect(differences).toContain(
      `${names(made, profile)} is missing, and in the history of warehouse ${workspace}`,
    );
  });

  it('of a creation that is missing, of a profile that other facts tell of, is named', async () => {
    const { number: merged, fact } = factOf('ProfilesMerged');
    const [alias = ''] = fact.absorbed;
    const made = factsOf('ProfileCreated').find(({ fact: { id } }) => id === alias)!;
    expect(await found(await without(made))).toEqual([
      `profiles ${alias} number ${merged} is of a profile that no fact makes`,
      `${names(made, alias)} is missing, and in the history of warehouse ${workspace}`,
    ]);
  });

  it.each(['ProfilesMerged', 'ProfileDeleted', 'ProfileSplit'] as const)(
    'of a missing %s is named',
    async (type) => {
      const missing = factOf(type);
      const differences = await found(await without(missing));
      expect(differences.at(-1)).toMatch(
        new RegExp(`^profiles [-0-9a-f]+ number ${missing.number} is missing, and in the history`),
      );
      expect(differences.length).toBeGreaterThan(1);
    },
  );

  it('of a fact that was added is named', async () => {
    const id = randomUUID();
    const more = forged({ type: 'ProfileCreated', id, identities: [] });
    expect(await found(await logWith((all) => [...all, message(more)]))).toEqual([
      `${at('_profiles', id)} is missing`,
    ]);
  });

  it('of facts that contradict each other is named', async () => {
    const {
      number: nth,
      fact: { absorbed, survivor },
    } = factOf('ProfilesMerged');
    const [alias = ''] = absorbed;
    const again = forged({ type: 'ProfilesMerged', survivor, absorbed, joinedBy: [] });
    const made = factsOf('ProfileCreated').find(({ fact }) => fact.id === survivor)!;
    const twice = forged({ ...made.fact, identities: [] });
    const log = await logWith((all) => [
      ...all,
      message(again),
      message({ ...twice, id: `${twice.id}1` }),
    ]);
    expect((await found(log)).sort()).toEqual(
      [
        `profiles ${alias} number ${again.number} ends it again, after number ${nth}`,
        `profiles ${alias} number ${again.number} comes after number ${nth}, which ends it`,
        `profiles ${survivor} number ${twice.number} makes it again, after number ${made.number}`,
      ].sort(),
    );
  });

  it('of an order that cannot be is named', async () => {
    const { number: nth, fact } = factOf('ProfileDeleted');
    const made = factsOf('ProfileCreated').find(({ fact: { id } }) => id === fact.id)!;
    const swapped = await logWith((all) => [...all.slice(-1), ...all.slice(0, -1)]);
    expect(await found(swapped)).toEqual([
      `${names(made, fact.id)} comes after a fact that follows it`,
    ]);
    const after = forged({
      type: 'ProfileSplit',
      kept: fact.id,
      created: [randomUUID()],
      reason: 'changed',
    });
    const late = { ...after, number: number(0) };
    const differences = await found(
      await logWith((all) => [...all.slice(0, -1), message(late), ...all.slice(-1)]),
    );
    expect(differences.join()).toContain('is missing');
    expect(nth).toBe(number(0));
  });

  it('of an identity in two profiles is named', async () => {
    const [one, other] = [await identityOf('a1'), await identityOf('b1')];
    const made = factsOf('ProfileCreated').find(({ fact }) => fact.id === other.profile)!;
    const more = { ...made, fact: { ...made.fact, identities: [other.number, one.number] } };
    const log = await logWith((all) =>
      all.map((each) =>
        (JSON.parse(each.value ?? '') as PublishedProfileFact).id === made.id
          ? message(more)
          : each,
      ),
    );
    const differences = await found(log);
    expect(differences.join()).toContain(`has identity ${one.number}, which is also in`);
    expect(differences.join()).toContain(
      `${at('_identities', one.number)} is in ${one.profile}, not in`,
    );
  });

  it('of what is no fact is named', async () => {
    const log = await logWith((all) => [
      ...all,
      ...[
        { key: 'x', value: 'null' },
        { key: 'x', value: '{' },
      ],
      { ...all[0]!, key: 'x' },
    ]);
    expect((await found(log)).map((each) => each.replace(/\d+/g, 'n'))).toEqual([
      'profiles partition n offset n is not a fact of a profile',
      'profiles partition n offset n is not a fact of a profile',
      'profiles partition n offset n is not under its profile',
    ]);
  });

  it('is looked for in the facts only, without the secret', async () => {
    const { profile } = await identityOf('a1');
    await sql(workspace, 'DELETE FROM @_profiles WHERE _profile_id = $1', profile);
    const { count, left, isPartial, what } = await verifyProfiles({
      ...{ log: installation.log, warehouses, secrets: undefined },
    });
    expect({ count, isPartial }).toEqual({ count: 0, isPartial: false });
    expect(left).toEqual([
      'the warehouses were not compared with the facts of profiles: that needs PENSTOCK_SECRET',
    ]);
    expect(what).toMatch(/ facts of \d+ profiles, 0 of 0 warehouses compared$/);
  });

  it('is not looked for in warehouses that nobody may read, or that do not answer', async () => {
    await sql(workspace, 'DELETE FROM @_profiles');
    await installation.warehouse(workspace, {}, 'Maintenance');
    const closed = await verify();
    expect(closed).toMatchObject({ count: 0, isPartial: false });
    expect(closed.left).toEqual([
      `warehouse ${workspace} was not compared: it is in mode Maintenance`,
    ]);
    await installation.warehouse(workspace);
    await sql(workspace, 'ALTER TABLE @_profiles RENAME TO _hidden');
    const failed = await verify();
    expect(failed).toMatchObject({ count: 0, isPartial: true });
    expect(failed.left).toEqual([`warehouse ${workspace} was not compared: it is unusable`]);
    await sql(workspace, 'ALTER TABLE @_hidden RENAME TO _profiles');
  });

  it('is none of a topic that has facts of other workspaces only, which were deleted', async () => {
    await installation.remove(workspace);
    expect(await found(await logWith((all) => all.slice(0, 5)))).toEqual([]);
  });
});
