import type { Microtime } from '@penstock/contracts';
import { newRecord } from '@penstock/schema';
import type { IdentityUpdate } from '@penstock/warehouses';
import { BatchHandling } from './batch-handling';
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

const handled = async (records: readonly SourceRecord[]) => {
  const written: IdentityUpdate[] = [];
  const handling = new BatchHandling({
    sequence: 1,
    steps: ALL_STEPS,
    defaultTime: START,
    tieBreaker: START,
    isCounted: () => false,
    isUnsettled: () => false,
    latestUs: microsecondsOf(LATEST),
    seen: () => Promise.resolve(new Map()),
    apply: (values) => Promise.resolve(values.map((each) => ({ values: each }))),
    write: (updates) => {
      written.push(...updates);
      return Promise.resolve(updates.map(() => ({})));
    },
  });
  return { ...(await handling.handle(records)), written };
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
