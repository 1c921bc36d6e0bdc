import { outcomeRecord } from '../store/contract/changes.fixture';
import { endedDeliveries } from './ended-deliveries';

it('merges neighbouring deliveries that differ only in their offsets', () => {
  const at = '2023-11-14T22:13:20.000Z';
  const delivered = { pipeline: 'pipeline00000a', version: 1, state: 'Delivered', code: '', at };
  const outcomes = [1, 2, 5].map((offset) => outcomeRecord({ offset, status: 200 }));
  const refused = outcomeRecord({ offset: 3, state: 'Rejected', code: '404', status: 404 });
  expect([...endedDeliveries([...outcomes, refused, outcomes[0]!])]).toEqual([
    { ...delivered, attempts: 1, status: null, offsets: [1, 2, 5] },
    { ...delivered, attempts: 1, state: 'Rejected', code: '404', status: 404, offsets: [3] },
    { ...delivered, attempts: 1, status: null, offsets: [1] },
  ]);
});

it.each([{ atMs: 1 }, { version: 2 }, { attempts: 2 }, { status: 1 }, { code: 'x' }] as const)(
  'does not merge outcomes that differ in %j',
  (other) => {
    expect([...endedDeliveries([outcomeRecord(), outcomeRecord(other)])]).toHaveLength(2);
  },
);

it('keeps every outcome, in lists of a thousand at most', () => {
  const outcomes = Array.from({ length: 2_500 }, (_, offset) => outcomeRecord({ offset }));
  const ended = [...endedDeliveries(outcomes)];
  expect(ended.map(({ offsets }) => offsets.length)).toEqual([1_000, 1_000, 500]);
  expect(ended.flatMap(({ offsets }) => offsets)).toEqual(outcomes.map(({ offset }) => offset));
  expect([...endedDeliveries([])]).toEqual([]);
});
