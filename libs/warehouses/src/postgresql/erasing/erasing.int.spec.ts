import fc from 'fast-check';
import type { ConnectionId } from '@penstock/contracts';
import {
  type ErasedPiece,
  type ErasedRecord,
  type Eraser,
  MAX_ERASED,
} from '../../platform/eraser';
import type { Resolver } from '../../platform/resolver';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { besideResolution } from '../resolving/beside-resolution';
import { naiveGroups, type StoredRow } from '../../platform/naive-resolution.fixture';
import {
  NEVER,
  OPTIONS,
  ResolvingStage,
  resolveAll,
  rules,
} from '../resolving/resolving-stage.fixture';
import { SCHEMA } from '../stage.fixture';
import { erasedHash } from '../../platform/erased-hash';

jest.setTimeout(120_000);

const RUNS = 40;
const BY = rules(['email', 'phone']);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

const CONNECTIONS = ['c1', 'c2'];
const IDS = ['u', 'v', 'w', 'x', 'y'];

interface RecordOf {
  readonly connection: string;
  readonly anonymous: boolean;
  readonly recordId: string;
}

const keyOf = ({ connection, anonymous, recordId }: RecordOf): string =>
  [connection, anonymous ? 'anonymous' : 'known', recordId].join(' ');

const recordOf = (row: StoredRow): RecordOf => ({
  ...{ connection: row._connection, anonymous: row._anonymous, recordId: row._record_id },
});

/** Every record that there may be. */
const RECORDS: readonly ErasedRecord[] = CONNECTIONS.flatMap((connection) =>
  [true, false].flatMap((anonymous) =>
    IDS.map((recordId) => ({ connection: connection as ConnectionId, anonymous, recordId })),
  ),
);

/** Whose hashes the warehouse keeps. */
const erasedKeys = async (): Promise<ReadonlySet<string>> => {
  const rows = await stage.written.stage.rows(`SELECT hash FROM ${SCHEMA}._erased`);
  const hashes = new Set((rows as { hash: string }[]).map(({ hash }) => hash));
  return new Set(
    RECORDS.filter((each) => hashes.has(erasedHash(OPTIONS.keyedHash, each))).map(keyOf),
  );
};

let epoch = 0;

/** Whoever takes the erasure up, as after a crash of the one before. */
const eraserOf = (id: string, profile: string): Promise<Eraser> => {
  epoch += 1;
  return stage.writers.beginErasure({ role: 'erasure', epoch }, { id, profile });
};

const eraseAll = async (eraser: Eraser): Promise<ErasedPiece> => {
  expect(await eraser.take(NEVER)).toBe(true);
  for (;;) {
    const piece = await eraser.eraseEvents(NEVER);
    if (piece.isLast) return piece;
  }
};

const connection = fc.constantFrom(...CONNECTIONS);
const recordId = fc.constantFrom('u', 'v', 'w', 'x');
const maybeId = fc.option(fc.constantFrom('u', 'x', 'y'), { nil: undefined, freq: 2 });
const text = fc.constantFrom('', 'p', 'q', 'r');

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant('say' as const), connection, recordId },
      pipeline: fc.constantFrom('a', 'a', 'b'),
      anonymous: fc.boolean(),
      anonymousId: maybeId,
      previousId: maybeId,
      members: fc.record({ email: text, phone: text }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('purge' as const), connection, recordId }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ kind: fc.constant('event' as const), connection },
      anonymousId: fc.constantFrom('x', 'y'),
      userId: fc.option(recordId, { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('some' as const), limit: fc.integer({ min: 1, max: 3 }) },
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('all' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('apart' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), place: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('piece' as const), place: fc.nat() }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What has to be in the warehouse, and what must not. */
class Model {
  /** By pipeline and record: what it is of. */
  readonly identities = new Map<string, RecordOf>();
  readonly events: RecordOf[] = [];
  erased: ReadonlySet<string> = new Set();
  /** Profiles by erasure. */
  readonly erasures = new Map<string, string>();

  isErased(record: RecordOf): boolean {
    return this.erased.has(keyOf(record));
  }
}

class Scenario {
  readonly model = new Model();
  private messages = 0;

  constructor(private readonly resolver: Resolver) {}

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'say':
        return this.say(next);
      case 'purge':
        this.model.identities.delete(`${next.connection}a known ${next.recordId}`);
        return stage.purge(next.connection, next.recordId);
      case 'event':
        return this.event(next.connection, next.anonymousId, next.userId);
      case 'some':
        await this.resolver.resolve(next.limit, NEVER);
        return;
      case 'all':
        await resolveAll(this.resolver);
        await stage.takeFacts(this.resolver);
        return;
      case 'apart':
        return this.resolver.takeApart();
      case 'take':
        return this.erase(next.place);
      case 'piece':
        return this.piece(next.place);
    }
  }

  /** Whatever was left undone is done, and then everything is as it has to be. */
  async check(): Promise<void> {
    const { model } = this;
    let events = 0;
    for (const [id, profile] of model.erasures) {
      const { counts } = await eraseAll(await eraserOf(id, profile));
      events += counts.events;
    }
    await resolveAll(this.resolver);
    await stage.takeFacts(this.resolver);
    const rows = await stage.rows();
    expect(rows.map((row) => `${row._pipeline} ${keyOf(recordOf(row)).slice(3)}`).sort()).toEqual(
      [...model.identities]
        .filter(([, record]) => !model.isErased(record))
        .map(([key]) => key)
        .sort(),
    );
    await this.checkEvents(rows, events);
    await this.checkProfiles(rows);
  }

  private async checkEvents(rows: readonly StoredRow[], erased: number): Promise<void> {
    const { model } = this;
    const left = (await stage.events()).map((event) => ({
      ...event,
      record: {
        ...{ connection: event.connection_id, anonymous: event.user_id === null },
        recordId: event.user_id ?? event.anonymous_id,
      },
    }));
    const expected = model.events.filter((record) => !model.isErased(record));
    expect(left.map(({ record }) => keyOf(record)).sort()).toEqual(expected.map(keyOf).sort());
    expect(erased).toBeLessThanOrEqual(model.events.length - expected.length);
    for (const { record, profile_id } of left)
      expect(profile_id).toBe(
        rows.find((row) => keyOf(recordOf(row)) === keyOf(record))?._profile_id ?? null,
      );
  }

  private async checkProfiles(rows: readonly StoredRow[]): Promise<void> {
    const groups = naiveGroups(rows, BY);
    const ids = groups.map((group) => [...new Set(group.map(({ _profile_id }) => _profile_id))]);
    expect(ids.map(({ length }) => length)).toEqual(groups.map(() => 1));
    const profiles = (await stage.profiles()).map(({ _profile_id }) => _profile_id);
    expect(profiles.sort()).toEqual(ids.flat().sort());
    const gone = [...this.model.erasures.values()];
    expect(profiles.filter((id) => gone.includes(id))).toEqual([]);
    const orphans = await stage.written.stage.rows(
      `SELECT profile_id::text FROM ${SCHEMA}._profile_history AS h JOIN ${SCHEMA}._erased_profiles USING (profile_id)
       WHERE fact ->> 'type' <> 'ProfileDeleted'
       UNION ALL SELECT identity::text FROM ${SCHEMA}._identity_keys
       WHERE identity NOT IN (SELECT _id FROM ${SCHEMA}._identities)
       UNION ALL SELECT record_id FROM ${SCHEMA}._erasing`,
    );
    expect(orphans).toEqual([]);
  }

  private async say(next: Extract<Step, { kind: 'say' }>): Promise<void> {
    const { connection: of, pipeline, anonymous, anonymousId, previousId, members } = next;
    const record = { connection: of, anonymous, recordId: next.recordId };
    this.model.identities.set(`${of}${pipeline} ${keyOf(record).slice(3)}`, record);
    this.messages += 1;
    const more = {
      ...(!anonymous && anonymousId !== undefined && { anonymousId }),
      ...(!anonymous && previousId !== undefined && { previousId }),
    };
    const update = said(next.recordId, this.messages, members, { anonymous, ...more });
    await stage.write(of, [update], pipeline);
  }

  private async event(of: string, anonymousId: string, userId: string | undefined): Promise<void> {
    this.model.events.push({
      ...{ connection: of, anonymous: userId === undefined, recordId: userId ?? anonymousId },
    });
    await stage.event(of, anonymousId, userId);
  }

  /** Takes one of the people out, and looks whether everything of the person is gone and nothing else. */
  private async erase(place: number): Promise<void> {
    const before = await stage.rows();
    const people = [...new Set(before.flatMap(({ _profile_id: id }) => id ?? []))];
    const profile = people[place % Math.max(1, people.length)];
    if (profile === undefined) return;
    const marks = (await stage.written.stage.rows(
      `SELECT DISTINCT profile_id AS id FROM ${SCHEMA}._dirty WHERE change = 'removed'`,
    )) as { id: string | null }[];
    const id = `erasure${String(this.model.erasures.size)}`;
    const eraser = await eraserOf(id, profile);
    expect(await eraser.take(NEVER)).toBe(true);
    this.model.erasures.set(id, profile);
    const erasedBefore = this.model.erased;
    this.model.erased = await erasedKeys();
    const own = before.filter((row) => row._profile_id === profile);
    for (const row of own) expect(this.model.erased).toContain(keyOf(recordOf(row)));
    const mayBe = new Set([
      ...own.map((row) => keyOf(recordOf(row))),
      ...own.flatMap((row) =>
        Object.keys(row._anonymous_times).map((named) =>
          keyOf({ connection: row._connection, anonymous: true, recordId: named }),
        ),
      ),
    ]);
    if (marks.some((mark) => mark.id !== null)) return;
    for (const key of this.model.erased) if (!erasedBefore.has(key)) expect(mayBe).toContain(key);
  }

  private async piece(place: number): Promise<void> {
    const erasures = [...this.model.erasures];
    const [id, profile] = erasures[place % Math.max(1, erasures.length)] ?? [];
    if (id === undefined || profile === undefined) return;
    await (await eraserOf(id, profile)).eraseEvents(NEVER);
  }
}

it('erases people and nothing of others, whatever is written and resolved in whichever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 40, size: 'max' }),
      async (steps) => {
        await stage.empty();
        const scenario = new Scenario(await stage.resolver(BY));
        for (const each of steps) await scenario.take(each);
        await scenario.check();
      },
    ),
    { numRuns: RUNS },
  );
});

/** Two people: one of three records, with what is theirs in every table, and a neighbour. */
const people = async (): Promise<{ resolver: Resolver; person: string; neighbour: string }> => {
  const resolver = await stage.resolver(BY);
  await stage.write('c1', [said('old', 1, { email: 'other' }), said('v', 1, { email: 'v' })]);
  await resolveAll(resolver);
  await stage.write('c1', [
    said('x', 2, {}, { anonymous: true }),
    said('u', 2, { email: 'e' }, { anonymousId: 'x' }),
    said('v', 3, {}, { anonymousId: 'x' }),
  ]);
  await stage.write('c2', [imported('7', 2, { email: 'e' })]);
  await resolveAll(resolver);
  await stage.write('c1', [said('old', 3, { email: 'e' })]);
  await resolveAll(resolver);
  await stage.takeFacts(resolver);
  for (const [user, anonymous] of [
    ['u', 'x'],
    ['v', 'x'],
    [undefined, 'x'],
    ['old', 'z'],
  ] as const)
    await stage.event('c1', anonymous, user);
  const idOf = async (record: string): Promise<string> =>
    (await stage.rows()).find(({ _record_id }) => _record_id === record)?._profile_id ?? '';
  return { resolver, person: await idOf('u'), neighbour: await idOf('v') };
};

const contents = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    [
      ...['identities', 'identity_keys', 'profiles', 'profile_aliases', 'dirty', 'moving'],
      ...['outbox', 'events', 'profile_history', 'erased', 'erased_profiles', 'erasures'],
    ]
      .map(
        (name) =>
          `SELECT '${name}' AS name, coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text), '[]') AS rows
           FROM ${SCHEMA}._${name} AS t`,
      )
      .join(' UNION ALL '),
  );

it('tells what it has erased, and that the profile is gone', async () => {
  const { resolver, person, neighbour } = await people();
  const eraser = await eraserOf('one', person);
  const { counts } = await eraseAll(eraser);
  expect(counts).toMatchObject({ profiles: 1, identities: 4, events: 3 });
  expect(counts.history).toBeGreaterThan(0);
  expect(await eraser.next()).toEqual([]);
  expect(await stage.takeFacts(resolver)).toEqual([
    { type: 'ProfileDeleted', id: person, reason: 'erased' },
  ]);
  expect((await stage.profiles()).map(({ _profile_id }) => _profile_id)).toEqual([neighbour]);
  expect(await stage.events()).toMatchObject([{ user_id: 'v', profile_id: neighbour }]);
});

it('erases the survivor of a profile that was absorbed', async () => {
  const { neighbour } = await people();
  const [absorbed = ''] = (await stage.aliases()).keys();
  await eraseAll(await eraserOf('one', absorbed));
  expect((await stage.profiles()).map(({ _profile_id }) => _profile_id)).toEqual([neighbour]);
  expect(await stage.aliases()).toEqual(new Map());
});

it('names the records whose events it erases next, and erases nobody twice', async () => {
  const { person } = await people();
  const eraser = await eraserOf('one', person);
  await eraser.take(NEVER);
  const next = await eraser.next();
  expect(next.map(keyOf).sort()).toEqual([
    ...['c1 anonymous x', 'c1 known old', 'c1 known u', 'c2 known 7'],
  ]);
  const { counts } = await eraseAll(eraser);
  expect(await eraseAll(await eraserOf('one', person))).toEqual({ counts, isLast: true });
  const again = await eraseAll(await eraserOf('two', person));
  expect(again.counts).toEqual({ profiles: 0, identities: 0, history: 0, events: 0 });
});

it('leaves out what comes again, from imports and from events, and nothing of others', async () => {
  const { resolver, person } = await people();
  await eraseAll(await eraserOf('one', person));
  await stage.write('c1', [said('u', 9, { email: 'e' }), said('v', 9, { email: 'n' })]);
  await stage.write('c1', [said('x', 9, {}, { anonymous: true }), imported('u', 9)], 'b');
  await stage.write('c2', [imported('7', 9), imported('u', 9), imported('8', 9)]);
  for (const [user, anonymous] of [
    ['u', 'n'],
    [undefined, 'x'],
    ['v', 'x'],
    [undefined, 'n'],
  ] as const)
    await stage.event('c1', anonymous, user);
  await resolveAll(resolver);
  expect((await stage.rows()).map((row) => `${row._pipeline} ${row._record_id}`).sort()).toEqual([
    ...['c1a v', 'c2a 8', 'c2a u'],
  ]);
  const alias = (userId: string, previousId: string) =>
    Object.assign(stage.eventOf('c1', 'n', userId), { type: 'alias', previousId });
  const writer = await stage.writers.beginEvents({ role: 'events', epoch: 1 });
  await writer.write([alias('new', 'u'), alias('v', 'new')]);
  const events = (await stage.events()).map((event) => event.user_id ?? event.anonymous_id);
  expect(events.sort()).toEqual(['n', 'v', 'v', 'v']);
});

it('erases what a run has purged and nobody has resolved since, and anonymous ids however long', async () => {
  const { resolver, person } = await people();
  const long = 'l'.repeat(2_500);
  await stage.write('c1', [said('u', 5, {}, { anonymousId: long })]);
  await resolveAll(resolver);
  await stage.event('c1', long);
  await stage.purge('c1', 'old');
  const { counts } = await eraseAll(await eraserOf('one', person));
  expect(counts).toMatchObject({ identities: 3, events: 4 });
  await stage.write('c1', [said('old', 9), said(long, 9, {}, { anonymous: true })]);
  expect((await stage.rows()).map(({ _record_id }) => _record_id)).toEqual(['v']);
  const keys = await stage.written.stage.rows(
    `SELECT FROM ${SCHEMA}._identity_keys WHERE identity NOT IN (SELECT _id FROM ${SCHEMA}._identities)`,
  );
  expect(keys).toEqual([]);
});

it('knows whose an anonymous id is while everything is resolved anew', async () => {
  const { resolver, person, neighbour } = await people();
  await stage.write('c1', [
    said('u', 5, {}, { anonymousId: 'alone' }),
    said('v', 6, {}, { anonymousId: 'alone' }),
  ]);
  await resolveAll(resolver);
  await stage.event('c1', 'alone');
  await resolver.takeApart();
  const left = async () =>
    (await stage.events()).map((event) => event.user_id ?? event.anonymous_id).sort();
  await eraseAll(await eraserOf('one', neighbour));
  expect(await left()).toEqual(['alone', 'old', 'u', 'x']);
  await eraseAll(await eraserOf('two', person));
  expect(await left()).toEqual([]);
  await stage.event('c1', 'alone');
  expect(await left()).toEqual([]);
});

it('tells a run of a record that is left out that it was merged', async () => {
  const { person } = await people();
  await eraseAll(await eraserOf('one', person));
  const run = { id: 'run1', batch: 0, settled: new Map() };
  const of = { connection: 'c2' as ConnectionId, pipeline: 'c2a' as never, run };
  const write = (updates: readonly ReturnType<typeof imported>[]) =>
    stage.identities.write({ ...of, updates });
  expect(await write([imported('7', 9), imported('9', 9)])).toEqual([{}, {}]);
  expect((await stage.rows()).map(({ _record_id }) => _record_id).sort()).toEqual(['9', 'v']);
});

it('erases a person of as many identities as there may be, and nobody of more', async () => {
  const profile = 'c0ffee00-0000-4000-8000-000000000000';
  await stage.written.stage.run(
    `INSERT INTO ${SCHEMA}._profiles (_profile_id) VALUES ('${profile}')`,
    `INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous, _profile_id)
     SELECT 'c1', 'c1a', 'u' || n, false, '${profile}' FROM generate_series(0, ${MAX_ERASED}) AS n`,
  );
  const eraser = await eraserOf('one', profile);
  expect(await eraser.take(NEVER)).toBe(false);
  expect(await eraser.next()).toEqual([]);
  expect(await stage.rows()).toHaveLength(MAX_ERASED + 1);
  expect(await stage.profiles()).toHaveLength(1);
  // One that was purged counts like the others.
  await stage.written.stage.run(
    `WITH gone AS (DELETE FROM ${SCHEMA}._identities WHERE _record_id = 'u0' RETURNING _id)
     INSERT INTO ${SCHEMA}._dirty (identity, change, profile_id) SELECT _id, 'removed', '${profile}' FROM gone`,
  );
  expect(await eraser.take(NEVER)).toBe(false);
  await stage.written.stage.run(`DELETE FROM ${SCHEMA}._dirty`);
  expect(await eraser.take(NEVER)).toBe(true);
  expect(await stage.rows()).toEqual([]);
});

/** Where each statement writes: what fails there has changed nothing, and is done by the next one. */
const TAKING = [
  ...['erasing', 'dirty', 'identity_keys', 'moving', 'identities', 'erased_profiles'],
  ...['profile_history', 'profile_aliases', 'profiles', 'outbox', 'erased'],
];

const whileFailing = async (table: string, work: () => Promise<unknown>): Promise<void> => {
  const at = `${SCHEMA}._${table}`;
  await stage.written.stage.run(
    `CREATE OR REPLACE FUNCTION ${SCHEMA}.fail() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'killed'; END $$`,
    `CREATE TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON ${at} EXECUTE FUNCTION ${SCHEMA}.fail()`,
  );
  try {
    await expect(work()).rejects.toThrow('killed');
  } finally {
    await stage.written.stage.run(`DROP FUNCTION ${SCHEMA}.fail() CASCADE`);
  }
};

it('takes a person wholly or not at all, wherever it fails', async () => {
  const { person, neighbour } = await people();
  const before = await contents();
  for (const table of TAKING) {
    const eraser = await eraserOf('one', person);
    await whileFailing(table, () => eraser.take(NEVER));
    expect(await contents()).toEqual(before);
  }
  const eraser = await eraserOf('one', person);
  expect(await eraser.take(NEVER)).toBe(true);
  const taken = await contents();
  for (const table of ['events', 'erasing', 'erasures']) {
    await whileFailing(table, () => eraser.eraseEvents(NEVER));
    expect(await contents()).toEqual(taken);
  }
  expect((await eraseAll(eraser)).counts).toMatchObject({ identities: 4, events: 3 });
  expect((await stage.profiles()).map(({ _profile_id }) => _profile_id)).toEqual([neighbour]);
});

it('lets others write while a writer is stuck, and waits for none once the person is taken out', async () => {
  const { person } = await people();
  const beside = async <T>(work: () => Promise<T>): Promise<T> => {
    await stage.written.stage.run('BEGIN', besideResolution(SCHEMA));
    return work().finally(() => stage.written.stage.run('COMMIT'));
  };
  const eraser = await eraserOf('one', person);
  const taking = await beside(async () => {
    const taken = eraser.take(NEVER);
    await stage.write('c1', [said('v', 7)]);
    return { taken };
  });
  expect(await taking.taken).toBe(true);
  const { counts } = await beside(async () => eraseAll(await eraserOf('one', person)));
  expect(counts).toMatchObject({ identities: 4, events: 3 });
});

it('erases identities without a profile, whatever they are marked for', async () => {
  const { resolver, person } = await people();
  await stage.write('c1', [said('u', 9)], 'b');
  await stage.written.stage.run(`DELETE FROM ${SCHEMA}._dirty`);
  await resolver.takeApart();
  await eraseAll(await eraserOf('one', person));
  await resolveAll(resolver);
  expect((await stage.rows()).map(({ _record_id }) => _record_id)).toEqual(['v']);
});

it('is fenced, and given up without a trace', async () => {
  const { person } = await people();
  const before = await contents();
  const old = await eraserOf('one', person);
  await eraserOf('one', person);
  for (const work of [() => old.take(NEVER), () => old.next(), () => old.eraseEvents(NEVER)])
    await expect(work()).rejects.toMatchObject({ kind: 'fenced' });
  const eraser = await eraserOf('one', person);
  await expect(eraser.take(AbortSignal.abort(new Error('no longer')))).rejects.toThrow();
  expect(await contents()).toEqual(before);
});

it('erases many records and events in pieces, beside writers and a resolution', async () => {
  const count = 1_100;
  const resolver = await stage.resolver(BY);
  const writing = Array.from({ length: count }, (_, at) => said(`u${at}`, 1, { email: 'e' }));
  await stage.write('c1', writing);
  await stage.write('c1', [said('v', 1, { email: 'v' })]);
  await resolveAll(resolver);
  const person = (await stage.rows())[0]?._profile_id ?? '';
  const writer = await stage.writers.beginEvents({ role: 'events', epoch: 1 });
  const events = () =>
    Array.from({ length: 4_000 }, (_, at) =>
      stage.eventOf('c1', 'x', at % 40 === 0 ? 'v' : `u${at % count}`),
    );
  for (let batch = 0; batch < 3; batch += 1) await writer.write(events());
  const ended = new AbortController();
  const beside = (async () => {
    for (let round = 2; !ended.signal.aborted; round += 1) {
      await stage.write('c1', [
        said('u1', round, { email: 'e' }),
        said('v', round, { phone: `${round}` }),
      ]);
      await writer.write([stage.eventOf('c1', 'x', 'u2'), stage.eventOf('c1', 'x', 'v')]);
      await resolver.resolve(10, NEVER);
    }
  })();
  const eraser = await eraserOf('one', person);
  expect(await eraser.take(NEVER)).toBe(true);
  let pieces = 0;
  for (let isLast = false; !isLast; pieces += 1) ({ isLast } = await eraser.eraseEvents(NEVER));
  ended.abort();
  await beside;
  await resolveAll(resolver);
  expect(pieces).toBeGreaterThan(1);
  expect((await stage.rows()).map(({ _record_id }) => _record_id)).toEqual(['v']);
  const left = await stage.events();
  expect(new Set(left.map(({ user_id }) => user_id))).toEqual(new Set(['v']));
  expect(left.length).toBeGreaterThanOrEqual(300);
});
