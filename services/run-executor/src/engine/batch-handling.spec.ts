import type { Microtime } from '@penstock/contracts';
import { newRecord } from '@penstock/schema';
import type { IdentityUpdate, Settled } from '@penstock/warehouses';
import { type BatchContext, BatchHandling, MAX_ID_BYTES } from './batch-handling';
import { microsecondsOf } from './microtime';
import type { SourceRecord } from './record-source';
import { ALL_STEPS } from './tally';

const START: Microtime = '2026-03-01T09:30:00.000000Z';
const LATEST: Microtime = '2026-03-01T09:35:00.000000Z';

const record = (id: string, updatedAt: Microtime | null): SourceRecord => ({
  id,
  updatedAt,
  values: newRecord(),
  fault: null,
});

const handled = async (
  records: readonly SourceRecord[],
  seen: ReadonlyMap<string, Settled> = new Map(),
  context: Partial<BatchContext> = {},
) => {
  const written: IdentityUpdate[] = [];
  const handling = new BatchHandling({
    steps: ALL_STEPS,
    defaultTime: START,
    tieBreaker: START,
    isCounted: () => true,
    isUnsettled: () => false,
    latestUs: microsecondsOf(LATEST),
    seen: () => Promise.resolve(seen),
    apply: (values) => Promise.resolve(values.map((each) => ({ values: each }))),
    write: (updates) => {
      written.push(...updates);
      return Promise.resolve(updates.map(() => ({})));
    },
    ...context,
  });
  await handling.prepare(records);
  return { ...(await handling.write(Promise.resolve())), written };
};

it.each<[string, Microtime, boolean]>([
  ['the first time of 1900', '1900-01-01T00:00:00.000000Z', true],
  ['the last before it', '1899-12-31T23:59:59.999999Z', false],
  ['five minutes in the future', LATEST, true],
  ['a microsecond more', '2026-03-01T09:35:00.000001Z', false],
])('takes as an update time %s: %s, %p', async (_, time, isTaken) => {
  const { tally, cursor, written } = await handled([record('a', time)]);
  expect(tally.passed[0]).toBe(isTaken ? 1 : 0);
  expect(tally.failed[0]).toBe(isTaken ? 0 : 1);
  expect(tally.errors.map(({ code }) => code)).toEqual(isTaken ? [] : ['InvalidUpdateTime']);
  expect(cursor).toBe(isTaken ? time : null);
  expect(written).toHaveLength(isTaken ? 1 : 0);
});

it('gives a record without an update time the default one, which does not move the cursor', async () => {
  const { cursor, written } = await handled([record('a', null)]);
  expect(cursor).toBeNull();
  expect(written).toMatchObject([{ recordId: 'a', updatedAtUs: microsecondsOf(START) }]);
});

it.each([
  [MAX_ID_BYTES, true],
  [MAX_ID_BYTES + 1, false],
])('takes an id of %i bytes: %p', async (bytes, isTaken) => {
  const id = `${'a'.repeat(bytes - 2)}ä`;
  const { tally, withoutId, written } = await handled([record(id, START), record('b', START)]);
  expect(written).toHaveLength(isTaken ? 2 : 1);
  expect(withoutId).toBe(isTaken ? 0 : 1);
  expect(tally.errors).toMatchObject(isTaken ? [] : [{ code: 'InvalidId', samples: [] }]);
});

it('counts an id that comes again as a duplicate, unless its record may be the same one', async () => {
  const seen = new Map<string, Settled>([['a', { as: 'Merged', batch: 0 }]]);
  const again = await handled([record('a', null)], seen);
  expect([again.duplicates, again.tally.passed[0]]).toEqual([1, 0]);
  const repeated = await handled([{ ...record('a', null), mayBeRepeated: true }], seen);
  expect([repeated.duplicates, repeated.tally.passed[0]]).toEqual([0, 0]);
});

it('tells of a record that is known to have failed again only where its reason may not be on record', async () => {
  const seen = new Map<string, Settled>([
    ['settled', { as: 'Transformation', batch: 1 }],
    ['unsettled', { as: 'Transformation', batch: 2 }],
    ['merged', { as: 'Merged', batch: 1 }],
    ['left out', { as: 'Filter', batch: 1 }],
  ]);
  const { tally } = await handled(
    [...seen.keys()].map((id) => record(id, START)),
    seen,
    { isCounted: () => false, isUnsettled: (batch) => batch === 2 },
  );
  expect(tally.failed).toEqual([0, 0, 1, 2, 0, 0]);
  expect(tally.recounted).toEqual([0, 0, 0, 1, 0, 0]);
  expect(tally.errors).toMatchObject([{ step: 'Transformation', count: 1, again: 1 }]);
});
