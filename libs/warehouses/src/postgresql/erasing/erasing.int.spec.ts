import fc from 'fast-check';
import type { ConnectionId } from '@penstock/contracts';
import type { ErasedPiece, ErasedRecord, Eraser } from '../../platform/eraser';
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
