import fc from 'fast-check';
import type { ConnectionId } from '@penstock/contracts';
import { erasedHash } from './erased-hash';
import type { ErasedRecord, Eraser } from './eraser';
import { eraseAll } from './erasing-stage.fixture';
import { naiveGroups, type StoredRow } from './naive-resolution.fixture';
import type { Resolver } from './resolver';
import { NEVER, OPTIONS, type Resolving, resolveAll, rules } from './resolving.fixture';
import type { WarehouseWriter } from './warehouse-writer';
import { said } from './warehouse-writer.contract';

const BY = rules(['email', 'phone']);

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

/** What else of a warehouse the specs look at, with what writes into it. */
export interface ErasedStage extends Resolving<WarehouseWriter> {
  /** A table as SQL, by its name in small letters without `_`. */
  tableOf(name: string): string;
  /** The texts of a statement with one column. */
  texts(statement: string): Promise<readonly (string | null)[]>;
}

/** How much is tried. */
export interface ErasingTries {
  readonly runs: number;
  /** The most steps of a run. */
  readonly steps: number;
}

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

let epoch = 0;

class Scenario {
  readonly model = new Model();
  private messages = 0;

  constructor(
    private readonly stage: ErasedStage,
    private readonly resolver: Resolver,
  ) {}

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'say':
        return this.say(next);
      case 'purge':
        this.model.identities.delete(`${next.connection}a known ${next.recordId}`);
        return this.stage.purge(next.connection, next.recordId);
      case 'event':
        return this.event(next.connection, next.anonymousId, next.userId);
      case 'some':
        await this.resolver.resolve(next.limit, NEVER);
        return;
      case 'all':
        await resolveAll(this.resolver);
        await this.stage.takeFacts(this.resolver);
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
      const { counts } = await eraseAll(await this.eraserOf(id, profile));
      events += counts.events;
    }
    await resolveAll(this.resolver);
    await this.stage.takeFacts(this.resolver);
    const rows = await this.stage.rows();
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
    const left = (await this.stage.events()).map((event) => ({
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
    const profiles = (await this.stage.profiles()).map(({ _profile_id }) => _profile_id);
    expect(profiles.sort()).toEqual(ids.flat().sort());
    const gone = [...this.model.erasures.values()];
    expect(profiles.filter((id) => gone.includes(id))).toEqual([]);
    const table = (name: string): string => this.stage.tableOf(name);
    const orphans = await this.stage.texts(
      `SELECT CAST(h.profile_id AS VARCHAR) AS text FROM ${table('profile_history')} AS h
       JOIN ${table('erased_profiles')} AS e ON e.profile_id = h.profile_id
       WHERE CAST(h.fact AS VARCHAR) NOT LIKE '%ProfileDeleted%'
       UNION ALL SELECT CAST(identity AS VARCHAR) FROM ${table('identity_keys')}
       WHERE identity NOT IN (SELECT _id FROM ${table('identities')})
       UNION ALL SELECT record_id FROM ${table('erasing')}`,
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
    await this.stage.write(of, [update], pipeline);
  }

  private async event(of: string, anonymousId: string, userId: string | undefined): Promise<void> {
    this.model.events.push({
      ...{ connection: of, anonymous: userId === undefined, recordId: userId ?? anonymousId },
    });
    await this.stage.event(of, anonymousId, userId);
  }

  /** Takes one of the people out, and looks whether everything of the person is gone and nothing else. */
  private async erase(place: number): Promise<void> {
    const before = await this.stage.rows();
    const people = [...new Set(before.flatMap(({ _profile_id: id }) => id ?? []))];
    const profile = people[place % Math.max(1, people.length)];
    if (profile === undefined) return;
    const marks = await this.stage.texts(
      `SELECT DISTINCT CAST(profile_id AS VARCHAR) AS text FROM ${this.stage.tableOf('dirty')} WHERE change = 'removed'`,
    );
    const id = `erasure${String(this.model.erasures.size)}`;
    const eraser = await this.eraserOf(id, profile);
    expect(await eraser.take(NEVER)).toBe(true);
    this.model.erasures.set(id, profile);
    const erasedBefore = this.model.erased;
    this.model.erased = await this.erasedKeys();
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
    if (marks.some((mark) => mark !== null)) return;
    for (const key of this.model.erased) if (!erasedBefore.has(key)) expect(mayBe).toContain(key);
  }

  private async piece(place: number): Promise<void> {
    const erasures = [...this.model.erasures];
    const [id, profile] = erasures[place % Math.max(1, erasures.length)] ?? [];
    if (id === undefined || profile === undefined) return;
    await (await this.eraserOf(id, profile)).eraseEvents(NEVER);
  }

  /** Whoever takes the erasure up, as after a crash of the one before. */
  private eraserOf(id: string, profile: string): Promise<Eraser> {
    epoch += 1;
    return this.stage.writers.beginErasure({ role: 'erasure', epoch }, { id, profile });
  }

  /** Whose hashes the warehouse keeps. */
  private async erasedKeys(): Promise<ReadonlySet<string>> {
    const found = await this.stage.texts(
      `SELECT hash AS text FROM ${this.stage.tableOf('erased')}`,
    );
    const hashes = new Set(found);
    return new Set(
      RECORDS.filter((each) => hashes.has(erasedHash(OPTIONS.keyedHash, each))).map(keyOf),
    );
  }
}

/** Every implementation keeps these promises, with what resolves there. */
export const itErasesPeople = (stage: () => ErasedStage, { runs, steps }: ErasingTries): void => {
  it('erases people and nothing of others, whatever is written and resolved in whichever order', async () => {
    const all = fc.array(step, { minLength: 6, maxLength: steps, size: 'max' });
    const property = fc.asyncProperty(all, async (each) => {
      await stage().empty();
      const scenario = new Scenario(stage(), await stage().resolver(BY));
      for (const next of each) await scenario.take(next);
      await scenario.check();
    });
    // A smaller case takes longer to find than a test may.
    await fc.assert(property, { numRuns: runs, endOnFailure: true });
  });
};
