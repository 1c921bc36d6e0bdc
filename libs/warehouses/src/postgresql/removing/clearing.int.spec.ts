import type { PipelineId } from '@penstock/contracts';
import fc from 'fast-check';
import type { Remover } from '../../platform/remover';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { ResolvingStage, resolveAll, rules } from '../resolving/resolving-stage.fixture';
import { SCHEMA } from '../stage.fixture';

jest.setTimeout(120_000);

const RUNS = process.env['PENSTOCK_TEST_LONG'] === '1' ? 40 : 15;
const UPDATED = 'c1a' as PipelineId;

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

const COLUMNS = ['email', 'phone', 'contact_code'] as const;
type Column = (typeof COLUMNS)[number];

const PATHS: Readonly<Record<Column, string>> = {
  email: 'email',
  phone: 'phone',
  contact_code: 'contact.code',
};

let epoch = 0;

/** Clears these columns; profiles have no property of another path. */
const clearerOf = (columns: readonly Column[]): Promise<Remover> => {
  epoch += 1;
  const lost = ['contact', 'nobody', ...columns.map((name) => PATHS[name])];
  return stage.writers.beginRemoval({ role: 'removal', epoch }, UPDATED, lost);
};

const nothing = (): Promise<void> => Promise.resolve();

const clearAll = async (clearer: Remover): Promise<number> => {
  for (let cleared = 0; ;) {
    const { identities, isLast } = await clearer.remove(nothing);
    cleared += identities;
    if (isLast) return cleared;
  }
};

type Values = Partial<Record<Column, number>>;

const membersOf = ({ email, phone, contact_code: code }: Values) => ({
  ...(email !== undefined && { email: String(email) }),
  ...(phone !== undefined && { phone: String(phone) }),
  ...(code !== undefined && { contact: { code: BigInt(code) } }),
});

const value = fc.integer({ min: 0, max: 3 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('record' as const, 'event' as const),
      id: fc.constantFrom('u', 'v'),
      time: fc.integer({ min: 1, max: 9 }),
      values: fc.record({ email: value, phone: value, contact_code: value }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clear' as const),
      cleared: fc.subarray([...COLUMNS]),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const recorded = (time: number, email: number): Step => ({
  ...{ kind: 'record', id: 'u', time, values: { email } },
});

/** What is written of a cleared property keeps its own time, though the others have a later one. */
const TIME_IS_KEPT: Step[] = [
  recorded(5, 1),
  { kind: 'clear', cleared: [...COLUMNS] },
  recorded(3, 2),
  recorded(4, 3),
];

interface Said {
  /** In the order of times, then of steps. */
  readonly stamp: number;
  readonly value: number | undefined;
}

/** What was said of each column of an identity, but what was cleared. */
class NaiveIdentity {
  private readonly said = new Map<Column, readonly Said[]>();

  tell(column: Column, told: Said): void {
    this.said.set(column, [...(this.said.get(column) ?? []), told]);
  }

  valueOf(column: Column): number | undefined {
    const sorted = [...(this.said.get(column) ?? [])].sort((one, other) => one.stamp - other.stamp);
    return sorted.at(-1)?.value;
  }

  clear(columns: readonly Column[]): void {
    if (columns.every((column) => this.valueOf(column) === undefined)) return;
    for (const column of columns) this.said.delete(column);
  }
}

const stored = async (): Promise<Readonly<Record<string, Values>>> => {
  const rows = await stage.rows();
  const valuesOf = (row: (typeof rows)[number]): Values =>
    Object.fromEntries(
      COLUMNS.flatMap((name) => (row[name] == null ? [] : [[name, Number(row[name])]])),
    );
  return Object.fromEntries(rows.map((row) => [row._record_id, valuesOf(row)]));
};

it('clears what is not written, and takes whatever is written of it later, at any time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      await stage.empty();
      const naive = new Map<string, NaiveIdentity>();
      for (const [at, each] of steps.entries()) {
        if (!('time' in each)) {
          for (const identity of naive.values()) identity.clear(each.cleared);
          await clearAll(await clearerOf(each.cleared));
          expect(await clearAll(await clearerOf(each.cleared))).toBe(0);
          continue;
        }
        const { kind, id, time, values } = each;
        const identity = naive.get(id) ?? new NaiveIdentity();
        naive.set(id, identity);
        for (const column of COLUMNS)
          if (kind === 'record' || values[column] !== undefined)
            identity.tell(column, { stamp: time * 100 + at, value: values[column] });
        const tie = String.fromCodePoint(0x100 + at);
        const update =
          kind === 'record'
            ? imported(id, time, membersOf(values), tie)
            : said(id, time, membersOf(values), { tieBreaker: tie });
        await stage.write('c1', [update], 'a');
      }
      const expected = [...naive].map(([id, identity]) => [
        id,
        Object.fromEntries(
          COLUMNS.flatMap((column) => {
            const found = identity.valueOf(column);
            return found === undefined ? [] : [[column, found]];
          }),
        ),
      ]);
      expect(await stored()).toEqual(Object.fromEntries(expected));
    }),
    { numRuns: RUNS, examples: [[TIME_IS_KEPT]], endOnFailure: true },
  );
});

it('marks what it has cleared, so that profiles lose the values, and touches no other pipeline', async () => {
  const values = { email: 1, contact_code: 2 };
  await stage.write('c1', [imported('u', 1, membersOf(values)), imported('v', 1)], 'a');
  await stage.write('c1', [imported('w', 1, membersOf(values))], 'b');
  const resolver = await stage.resolver(rules(['phone']));
  await resolveAll(resolver);
  expect(await clearAll(await clearerOf(['contact_code']))).toBe(1);
  expect(await resolver.pending()).toBe(1);
  await resolveAll(resolver);
  const codes = (await stage.profiles()).map((row) => row['contact_code']);
  expect(codes.filter((code) => code !== null)).toEqual([2]);
  expect((await stage.profiles()).filter((row) => row['email'] !== null)).toHaveLength(2);
  expect(await stored()).toMatchObject({ u: { email: 1 }, w: values });
});

it('looks at as many identities as one transaction may, and at one more, in pieces', async () => {
  for (const there of [9_999, 10_001]) {
    await stage.empty();
    await stage.written.stage.run(
      `INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous, email)
       SELECT 'c1', '${UPDATED}', n::text, n % 2 = 0, 'e' FROM generate_series(1, ${String(there)}) AS n`,
    );
    const clearer = await clearerOf(['email']);
    const first = await clearer.remove(nothing);
    expect(first).toEqual({ identities: Math.min(there, 10_000), isLast: there < 10_000 });
    if (!first.isLast) expect(await clearAll(clearer)).toBe(1);
    expect(await clearAll(await clearerOf(['email']))).toBe(0);
  }
});

it('leaves alone what is written while it asks, which keeps nobody waiting, and looks at it once more', async () => {
  for (const values of [{ email: 2 }, { phone: 3 }]) {
    await stage.empty();
    await stage.write(
      'c1',
      [said('u', 1, membersOf({ email: 1 })), imported('v', 1, membersOf({ email: 1 }))],
      'a',
    );
    const clearer = await clearerOf(['email']);
    const isWritten = 'email' in values;
    const first = await clearer.remove(() =>
      stage.write('c1', [said('u', 2, membersOf(values))], 'a'),
    );
    expect(first).toEqual({ identities: isWritten ? 1 : 2, isLast: !isWritten });
    expect(await stored()).toEqual({ u: values, v: {} });
    expect(await clearAll(clearer)).toBe(isWritten ? 1 : 0);
  }
});

it('clears nothing where it must not, and asks only where there is something', async () => {
  await stage.write('c1', [imported('u', 1, membersOf({ email: 1 }))], 'a');
  const refused = () => Promise.reject(new Error('there is a newer version'));
  await expect((await clearerOf(['email'])).remove(refused)).rejects.toThrow('newer version');
  expect(await stored()).toEqual({ u: { email: 1 } });
  const none = { identities: 0, isLast: true };
  expect(await (await clearerOf(['phone'])).remove(refused)).toEqual(none);
  expect(await (await clearerOf([])).remove(refused)).toEqual(none);
});

it('clears nothing under an older epoch, or by an older schema of profiles', async () => {
  await stage.write('c1', [imported('u', 1, membersOf({ email: 1 }))], 'a');
  const older = await clearerOf(['email']);
  const newer = await clearerOf(['email']);
  await expect(older.remove(nothing)).rejects.toMatchObject({ kind: 'fenced' });
  const version = (by: number) =>
    stage.written.stage.run(
      `UPDATE ${SCHEMA}._meta SET schema_version = schema_version + ${String(by)}`,
    );
  await version(1);
  await expect(newer.remove(nothing)).rejects.toMatchObject({ kind: 'outdated' });
  await version(-1);
  expect(await stored()).toEqual({ u: { email: 1 } });
});
