import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import {
  type ScannedProfile,
  type ScanPageWanted,
  WarehouseFault,
  type WarehouseFaultKind,
  type WarehouseReader,
} from '@penstock/warehouses';
import { Away } from '../engine/away';
import { Outdated } from '../engine/outdated';
import type { RecordReading } from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import { ProfileRecords } from './profile-source';

const hanging = <T>(): Promise<T> => new Promise(() => undefined);

const PROFILES: readonly ScannedProfile[] = [
  { id: 'p1', attributes: { email: 'a' } },
  { id: 'p2', attributes: null },
  { id: 'p3', attributes: {} },
];

/** A warehouse with three profiles, which gives one at a time. */
const readerOf = (members: Partial<WarehouseReader> = {}): WarehouseReader =>
  ({
    countProfiles: () => Promise.resolve(3),
    scan: ({ after = '' }: ScanPageWanted) => {
      const [first, ...others] = PROFILES.filter(({ id }) => id > after);
      return Promise.resolve({
        profiles: first === undefined ? [] : [first],
        isLast: others.length === 0,
      });
    },
    async *scanInOrder() {
      yield await Promise.resolve(PROFILES);
    },
    ...members,
  }) as Partial<WarehouseReader> as WarehouseReader;

const recordsOf = (
  openReader: () => Promise<WarehouseReader>,
  orderBy: string | null = null,
  pageSize = 1,
): ProfileRecords =>
  new ProfileRecords({
    ...{ openReader, orderBy, profiles: FIRST_PROFILE_SCHEMA, filter: null, pageSize },
    ...{ deadlineMs: 50, sortedMs: 50 },
  });

const open = (
  records: ProfileRecords,
  from: Parameters<ProfileRecords['open']>[0]['from'] = { kind: 'start' },
): Promise<RecordReading> =>
  records.open({
    ...{ from, changedSince: null, schema: FIRST_PROFILE_SCHEMA.schema },
    signal: new AbortController().signal,
  });

const read = async (reading: RecordReading) => {
  const found: unknown[] = [];
  try {
    for await (const { records, positionAfter, extent } of reading.pages)
      records.forEach(({ id, isLeftOut }, index) =>
        found.push([id, isLeftOut, positionAfter(index + 1), extent.total]),
      );
  } finally {
    await reading.close();
  }
  return found;
};

const at = (id: string) => ({ kind: 'profile', id }) as const;

it('goes on behind any profile by the ids', async () => {
  const records = recordsOf(() => Promise.resolve(readerOf()));
  expect(await read(await open(records))).toEqual([
    ['p1', false, at('p1'), 3],
    ['p2', true, at('p2'), 3],
    ['p3', false, at('p3'), 3],
  ]);
  expect(await read(await open(records, at('p2')))).toEqual([['p3', false, at('p3'), 3]]);
  expect(await read(await open(records, at('p3')))).toEqual([]);
});

it('has no place in another order', async () => {
  const records = recordsOf(() => Promise.resolve(readerOf()), 'email');
  const begun = { kind: 'file', isComplete: false };
  expect(await read(await open(records))).toEqual([
    ['p1', false, begun, 3],
    ['p2', true, begun, 3],
    ['p3', false, begun, 3],
  ]);
});

it('gives up a warehouse that does not answer, wherever it is', async () => {
  const away = new Away('no answer within 0.05 s');
  await expect(open(recordsOf(hanging))).rejects.toEqual(away);
  const scanning = readerOf({ scan: hanging });
  await expect(open(recordsOf(() => Promise.resolve(scanning))).then(read)).rejects.toEqual(away);
  const sorting = readerOf({
    async *scanInOrder() {
      yield await hanging<readonly ScannedProfile[]>();
    },
  });
  await expect(open(recordsOf(() => Promise.resolve(sorting), 'email')).then(read)).rejects.toEqual(
    away,
  );
});

it('goes on where profiles cannot be counted in time', async () => {
  const counting = readerOf({ countProfiles: hanging });
  const found = await read(await open(recordsOf(() => Promise.resolve(counting))));
  expect(found).toEqual([
    ['p1', false, at('p1'), null],
    ['p2', true, at('p2'), null],
    ['p3', false, at('p3'), null],
  ]);
});

it('asks for about as many profiles as a page can have', async () => {
  const limits: number[] = [];
  const all = Array.from({ length: 120 }, (_, n) => ({ id: String(n + 100), attributes: {} }));
  // The first 20 are so large that a page has 3 of them.
  const scan = ({ after = '', limit }: ScanPageWanted) => {
    limits.push(limit);
    const left = all.filter(({ id }) => id > after);
    const room = left.length > 100 ? Math.min(3, limit) : limit;
    return Promise.resolve({ profiles: left.slice(0, room), isLast: left.length <= room });
  };
  const records = recordsOf(() => Promise.resolve(readerOf({ scan })), null, 40);
  expect(await read(await open(records))).toHaveLength(120);
  expect(limits).toEqual([40, 6, 6, 6, 6, 6, 6, 6, 12, 24, 40, 40]);
});

it.each<[WarehouseFaultKind, new (...all: never[]) => Error]>([
  ['unreachable', Away],
  ['locked', Away],
  ['busy', Away],
  ['fenced', Away],
  ['outdated', Outdated],
  ['unusable', WholeRunError],
  ['foreign', WholeRunError],
  ['newer', WholeRunError],
])('a warehouse that is %s', async (kind, type) => {
  const fault = (): Promise<never> => Promise.reject(new WarehouseFault(kind, 'so it is'));
  await expect(open(recordsOf(fault))).rejects.toBeInstanceOf(type);
  const scanning = readerOf({ scan: fault });
  await expect(open(recordsOf(() => Promise.resolve(scanning))).then(read)).rejects.toBeInstanceOf(
    type,
  );
});
