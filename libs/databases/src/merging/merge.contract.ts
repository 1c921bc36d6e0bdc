import type { GuardedSockets as Sockets } from '@penstock/egress';
import { GuardedSockets } from '@penstock/egress';
import {
  canonicalDateTime,
  canonicalTime,
  cutFraction,
  newRecord,
  type RecordValue,
  type Value,
} from '@penstock/schema';
import fc from 'fast-check';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseStand } from '../database/database.contract';
import { LITERAL_CASES, type LiteralCase } from '../database/literals.fixture';
import { call, LOCAL_SOCKETS, NO_VALUES, settingsOf } from '../reading.fixture';
import type { RowMerge, RowMerger } from '../database/row-merger';

/** A table `id`, `name`, `amount`, `note` that rows are merged into. */
interface MergedTable {
  readonly name: string;
  readonly create: string;
  /** What `SELECT … FROM` reads. */
  readonly from: string;
  /** Whether a row is replaced as a whole, so that what it does not have gets the column's default. */
  readonly replaces: boolean;
}

/** A server of one kind, with what its merges need. */
export interface MergeStand extends DatabaseStand {
  readonly tables: readonly MergedTable[];
  /** Creates a table with these columns; the first is the key. */
  readonly create: (table: string, columns: readonly (readonly [string, string])[]) => string;
  /** Of the column of a key; default: that of the case `int 32`. */
  readonly keyType?: string;
  /** Cases of literals that the database has columns for; default: all. */
  readonly kinds?: readonly LiteralCase[];
  /** Types of columns by the names of cases of literals; those that are missing have no column. */
  readonly columnTypes: Readonly<Record<string, string>>;
  /** Types of columns of times, and the digits of the fractions of seconds that they keep. */
  readonly times: readonly (readonly [
    columnType: string,
    kind: 'datetime' | 'time',
    digits: number,
  ])[];
  /** Quotes a name. */
  readonly quoted: (name: string) => string;
  /** Of a table that needs quotes. */
  readonly oddName?: string;
  /** Whether all rows that are refused are named, and not the first alone. */
  readonly findsAll: boolean;
  /** Whether rows are locked until their batch lasts. */
  readonly locks: boolean;
  /** Runs of each property; default: {@link RUNS}. */
  readonly runs?: number;
  /** What stands in the request that makes a batch last. */
  readonly committing: string;
}

const RUNS = 15;
/** Batches of each of those that merge at the same time. */
const TURNS = 3;
const MAX_NAME = 8;
const PROPERTIES = ['id', 'name', 'amount'];

interface Given {
  readonly id: number;
  readonly name?: string | null;
  readonly amount?: number;
}

const record = (given: Given): RecordValue =>
  Object.assign(newRecord(), given as unknown as Readonly<Record<string, Value>>);

const given: fc.Arbitrary<Given> = fc.record(
  {
    id: fc.integer({ min: 1, max: 12 }),
    name: fc.oneof(
      fc.constant(null),
      fc.string({ unit: 'grapheme-ascii', maxLength: MAX_NAME }),
      fc.constantFrom("'", '\\', '"', '`', '\t\n', "';--", 'é😀'),
      // Longer than the column.
      fc.constant('x'.repeat(MAX_NAME + 1)),
    ),
    amount: fc.integer({ min: -1_000, max: 1_000 }),
  },
  { requiredKeys: ['id'] },
);

/** What a table holds, by key. */
type Model = Map<
  number,
  readonly [name: string | null, amount: number | null, note: string | null]
>;

const isBad = ({ name }: Given): boolean => (name?.length ?? 0) > MAX_NAME;

/** Merges in the most simple way. */
const applied = (before: Model, batch: readonly Given[], replaces: boolean): Model => {
  const model = new Map(before);
  for (const { id, name, amount } of batch) {
    const [oldName, oldAmount, note] = (replaces ? undefined : model.get(id)) ?? [
      null,
      null,
      'new',
    ];
    model.set(id, [name === undefined ? oldName : name, amount ?? oldAmount, note]);
  }
  return model;
};

/** Sockets that are lost at the request that makes a batch last: before it is sent, or before it is answered. */
class FailingSockets extends GuardedSockets {
  fails: 'never' | 'before' | 'behind' = 'never';

  constructor(
    private readonly sockets: Sockets,
    private readonly words: string,
  ) {
    super();
  }

  override to(server: Parameters<GuardedSockets['to']>[0]): Socket {
    const socket = this.sockets.to(server);
    const connect = socket.connect.bind(socket) as () => Socket;
    // Connecting undoes changes of `write`.
    socket.connect = () => {
      connect();
      this.watch(socket);
      return socket;
    };
    return socket;
  }

  private watch(socket: Socket): void {
    const write = socket.write.bind(socket) as (...each: readonly unknown[]) => boolean;
    socket.write = (chunk: Uint8Array | string, ...rest: readonly unknown[]): boolean => {
      if (this.fails === 'never' || !Buffer.from(chunk as string).includes(this.words))
        return write(chunk, ...rest);
      const isSent = this.fails === 'behind';
      this.fails = 'never';
      socket.pause();
      if (isSent) write(chunk);
      setTimeout(() => socket.destroy(new Error('lost')), 100);
      return true;
    };
  }
}

/** What every kind of database does that rows can be merged into, on a real server. */
export const mergeContract = (stand: () => MergeStand): void => {
  const open = (merge: RowMerge, sockets: GuardedSockets = LOCAL_SOCKETS): Promise<RowMerger> =>
    stand().database.merger(merge, settingsOf(stand().settings()), { ...call(), sockets });
  const keyType = (): string => stand().keyType ?? stand().columnTypes['int 32'] ?? '';
  const merging = (table: string): RowMerge => ({ table, key: 'id', properties: PROPERTIES });

  const rowsOf = async (text: string): Promise<readonly (readonly Value[])[]> => {
    const query = { text, values: NO_VALUES };
    const rows = await stand().database.query(query, settingsOf(stand().settings()), call());
    const found: (readonly Value[])[] = [];
    try {
      for await (const batch of rows.records)
        for (const each of batch)
          found.push(
            'values' in each ? Object.values(each.values as Record<string, Value>) : [each.error],
          );
    } finally {
      await rows.close();
    }
    return found;
  };
  const held = async ({ from }: MergedTable): Promise<Model> =>
    new Map(
      (await rowsOf(`SELECT id, name, amount, note FROM ${from} ORDER BY id`)).map(
        ([id, ...values]) => [id as number, values as unknown as [string, number, string]],
      ),
    );
  const sorted = (model: Model) => [...model].sort(([one], [other]) => one - other);
  const emptied = async ({ name, create }: MergedTable): Promise<void> => {
    await stand().run(`DROP TABLE IF EXISTS ${name}`, create);
  };
  const eachTable = (check: (table: MergedTable) => Promise<void>) => async () => {
    for (const table of stand().tables) {
      await emptied(table);
      await check(table);
    }
  };

  it(
    'any batches leave what the most simple merge leaves, and none of a batch with a row that is refused',
    eachTable(async (table) => {
      const step = fc.record({ merger: fc.nat(1), batch: fc.array(given, { maxLength: 12 }) });
      const mergers = [await open(merging(table.name)), await open(merging(table.name))];
      let model: Model = new Map();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          for (const { merger, batch } of steps) {
            const refused = await mergers[merger]?.merge(batch.map(record));
            const bad = batch.flatMap((each, row) => (isBad(each) ? [row] : []));
            const named = stand().findsAll ? bad : bad.slice(0, 1);
            expect(refused?.map(({ row }) => row)).toEqual(named);
            if (bad.length === 0) model = applied(model, batch, table.replaces);
          }
          expect(sorted(await held(table))).toEqual(sorted(model));
        }),
        { numRuns: stand().runs ?? RUNS, endOnFailure: true },
      );
      for (const merger of mergers) await merger.close();
    }),
  );

  it(
    'batches at the same time are merged one after the other: one row for each key',
    eachTable(async (table) => {
      const mergers = await Promise.all([1, 2, 3].map(() => open(merging(table.name))));
      const ids = Array.from({ length: 40 }, (_, n) => n + 1);
      await Promise.all(
        mergers.map(async (merger, n) => {
          for (let turn = 0; turn < TURNS; turn += 1) {
            const batch = ids.map((id) => ({ id, name: `m${String(n)}`, amount: turn }));
            const order = n % 2 === 0 ? batch : batch.toReversed();
            expect(await merger.merge(order.map(record))).toEqual([]);
          }
        }),
      );
      const found = await held(table);
      expect([...found.keys()]).toEqual(ids);
      expect(
        [...found.values()].every(
          ([name, amount]) => /^m\d$/.test(name ?? '') && amount === TURNS - 1,
        ),
      ).toBe(true);
      for (const merger of mergers) await merger.close();
    }),
  );

  it.each(['before', 'behind'] as const)(
    'a connection that is lost %s the commit is a fault, and the batch can be merged again',
    async (fails) => {
      await eachTable(async (table) => {
        const sockets = new FailingSockets(LOCAL_SOCKETS, stand().committing);
        const batch = [1, 2, 3].map((id) => ({ id, name: 'again', amount: id }));
        const merger = await open(merging(table.name), sockets);
        sockets.fails = fails;
        await expect(merger.merge(batch.map(record))).rejects.toMatchObject({
          kind: 'Unreachable',
        });
        await merger.close();
        await sleep(200);
        expect([0, 3]).toContain((await held(table)).size);
        const other = await open(merging(table.name));
        expect(await other.merge(batch.map(record))).toEqual([]);
        expect(sorted(await held(table))).toEqual(
          sorted(applied(new Map(), batch, table.replaces)),
        );
        await other.close();
      })();
    },
  );

  it(
    'a batch that is not wanted any more when its rows are locked leaves nothing',
    eachTable(async (table) => {
      const merger = await open(merging(table.name));
      const batch = [1, 2, 3].map((id) => record({ id }));
      await expect(
        merger.merge(batch, () => Promise.reject(new Error('not wanted'))),
      ).rejects.toBeInstanceOf(Error);
      await merger.close();
      const other = await open(merging(table.name));
      expect((await held(table)).size).toBe(0);
      let checks = 0;
      const count = (): Promise<void> => Promise.resolve(void (checks += 1));
      expect(await other.merge(batch, count)).toEqual([]);
      expect(checks).toBe(1);
      await other.close();
    }),
  );

  it('who stands still with a batch holds up the next one for seconds, and is not the last one', async () => {
    const [table] = stand().tables;
    if (!stand().locks || table === undefined) return;
    await emptied(table);
    const [still, next] = [await open(merging(table.name)), await open(merging(table.name))];
    const fromMs = performance.now();
    const older = still.merge([record({ id: 1, name: 'older' })], async () => {
      expect(await next.merge([record({ id: 1, name: 'newer' })])).toEqual([]);
    });
    await expect(older).rejects.toMatchObject({ kind: 'Unreachable' });
    expect(performance.now() - fromMs).toBeLessThan(30_000);
    expect([...(await held(table)).values()].map(([name]) => name)).toEqual(['newer']);
    for (const merger of [still, next]) await merger.close();
  });

  it('1,000 rows that are all refused leave nothing', async () => {
    const [table] = stand().tables;
    if (table === undefined) throw new Error('there is no table');
    await emptied(table);
    const merger = await open(merging(table.name));
    const batch = Array.from({ length: 1_000 }, (_, id) => ({ id, name: 'x'.repeat(9) }));
    const refused = await merger.merge(batch.map(record));
    const named = stand().findsAll ? batch : batch.slice(0, 1);
    expect(refused.map(({ row }) => row)).toEqual(named.map(({ id }) => id));
    expect((await held(table)).size).toBe(0);
    await merger.close();
  });

  it('a table that is gone is a fault, and none of the rows', async () => {
    const [table] = stand().tables;
    if (table === undefined) throw new Error('there is no table');
    await emptied(table);
    const merger = await open(merging(table.name));
    await stand().run(`DROP TABLE ${table.name}`);
    const batch = [1, 2, 3].map((id) => record({ id }));
    await expect(merger.merge(batch)).rejects.toMatchObject({ kind: 'Refused' });
    await merger.close();
  });

  it('names are quoted, whatever they hold', async () => {
    const [table, column] = [stand().oddName ?? 'we"ird `ta\'ble', 'na"me `x'];
    const { quoted, run, create } = stand();
    await run(
      create(quoted(table), [
        ['id', keyType()],
        [quoted(column), stand().columnTypes['string'] ?? ''],
      ]),
    );
    const merger = await open({ table, key: 'id', properties: ['id', 'na_me_x'] });
    const values = Object.assign(newRecord(), { id: 1, na_me_x: 'x' });
    expect(await merger.merge([values])).toEqual([]);
    expect(await rowsOf(`SELECT id, ${quoted(column)} FROM ${quoted(table)}`)).toEqual([[1, 'x']]);
    await merger.close();
  });

  it('values of every kind are what they were', async () => {
    const kinds = stand().kinds ?? LITERAL_CASES;
    const cases = kinds.filter(({ name }) => name in stand().columnTypes);
    const columns = cases.map(
      ({ name }, n) => [`c${String(n)}`, stand().columnTypes[name] ?? ''] as const,
    );
    const key = keyType();
    await stand().run(stand().create('kinds', [['id', key], ...columns]));
    const properties = ['id', ...columns.map(([name]) => name)];
    const merger = await open({ table: 'kinds', key: 'id', properties });
    const rows = fc.array(fc.tuple(...cases.map(({ values }) => values)), {
      minLength: 1,
      maxLength: 5,
    });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(rows, async (each) => {
        const first = id + 1;
        const batch = each.map((values) => {
          id += 1;
          return Object.assign(
            newRecord(),
            { id },
            Object.fromEntries(values.map((value, n) => [`c${String(n)}`, value])),
          );
        });
        expect(await merger.merge(batch)).toEqual([]);
        const found = await rowsOf(`SELECT * FROM kinds WHERE id >= ${String(first)} ORDER BY id`);
        expect(found.map(([, ...values]) => values)).toEqual(each);
      }),
      { numRuns: 2 * (stand().runs ?? RUNS), endOnFailure: true },
    );
    await merger.close();
  });

  it('times are cut to the digits that a column keeps, and never rounded', async () => {
    const finest = { datetime: '2026-12-31T23:59:59.999999999Z', time: '23:59:59.999999999' };
    const { times, create, run } = stand();
    const columns = times.map(([type], n) => [`t${String(n)}`, type] as const);
    await run(create('times', [['id', keyType()], ...columns]));
    const properties = ['id', ...columns.map(([name]) => name)];
    const merger = await open({ table: 'times', key: 'id', properties });
    const row = Object.fromEntries(times.map(([, kind], n) => [`t${String(n)}`, finest[kind]]));
    expect(await merger.merge([Object.assign(newRecord(), { id: 1 }, row)])).toEqual([]);
    await merger.close();
    const [found] = await rowsOf('SELECT * FROM times');
    const kept = times.map(([, kind, digits]) => cutFraction(finest[kind], digits));
    expect(found?.slice(1)).toEqual(
      kept.map((each) => canonicalDateTime(each) ?? canonicalTime(each)),
    );
  });

  it.each<[string, Partial<RowMerge>, string, RegExp]>([
    ['a table that there is not', { table: 'nothing' }, 'TableNotExist', /no such table/],
    [
      'a property that no column becomes',
      { properties: ['id', 'age'] },
      'InvalidSettings',
      /property age/,
    ],
    ['a key that is not among the properties', { key: 'note' }, 'InvalidSettings', /key note/],
  ])('%s is a fault', async (_, changes, kind, message) => {
    const [table] = stand().tables;
    if (table === undefined) throw new Error('there is no table');
    await emptied(table);
    await expect(open({ ...merging(table.name), ...changes })).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message) as string,
    });
  });

  it('a row without its key, or with a value that is none of its column, is refused without being sent', async () => {
    const [table] = stand().tables;
    if (table === undefined) throw new Error('there is no table');
    await emptied(table);
    const merger = await open(merging(table.name));
    const bad = [
      Object.assign(newRecord(), { name: 'x' }),
      Object.assign(newRecord(), { id: null }),
      Object.assign(newRecord(), { id: 2 ** 31 }),
    ];
    const refused = await merger.merge([...bad, record({ id: 1 })]);
    expect(refused.map(({ row, reason }) => [row, reason])).toEqual([
      [0, 'the key id is missing'],
      [1, 'the key id is missing'],
      [2, expect.stringMatching(/^id must be/) as string],
    ]);
    expect((await held(table)).size).toBe(0);
    await merger.close();
  });
};
