import {
  type HistoricalConnection,
  historicalConnection,
  routesAlike,
} from '../historical-connection';
import type { ConnectionId } from '../ids';
import { MAX_HELD_STATES, StateHistory } from './state-history';
import { connectionState } from './history.fixtures';

const [a, b] = ['destination0001' as ConnectionId, 'destination0002' as ConnectionId];

const record = (version: number, position: number, ...links: ConnectionId[]) => ({
  position,
  state: connectionState({ version, links }),
});

const historyOf = (
  ...records: readonly ReturnType<typeof record>[]
): StateHistory<HistoricalConnection> => {
  const made = new StateHistory<HistoricalConnection>({
    kept: historicalConnection,
    areAlike: routesAlike,
  });
  for (const each of records) made.add(each, 0);
  return made;
};

const versionAt = (
  from: StateHistory<HistoricalConnection>,
  position: number,
): number | string | undefined => {
  const found = from.at(position);
  return typeof found === 'object' ? found.version : found;
};

const versionsAt = (from: StateHistory<HistoricalConnection>, ...positions: readonly number[]) =>
  positions.map((position) => versionAt(from, position));

it('was not there before its first version', () => {
  expect(versionsAt(historyOf(record(1, 5)), 0, 4, 5, 6)).toEqual([undefined, undefined, 1, 1]);
});

it('does not know what was before an older version that it has not seen', () => {
  expect(versionsAt(historyOf(record(2, 5)), 4, 5, 6)).toEqual(['unknown', 2, 2]);
});

it('does not know what was between two versions of which one is missing', () => {
  const gap = historyOf(record(1, 5), record(3, 9));
  expect(versionsAt(gap, 4, 5, 6, 8, 9)).toEqual([undefined, 1, 'unknown', 'unknown', 3]);
  expect(gap.add(record(2, 7), 0)).toBe(false);
  expect(versionsAt(gap, 5, 6, 7, 8, 9)).toEqual([1, 1, 2, 2, 3]);
});

it('knows that a version was valid until the log was known completely, although the next one is missing', () => {
  const gap = historyOf(record(1, 5));
  gap.add(record(3, 9), 7);
  expect(versionsAt(gap, 5, 7, 8, 9)).toEqual([1, 1, 'unknown', 3]);
  expect(gap.spanAt(7)).toEqual({ from: 5, until: 8 });
  const next = historyOf(record(1, 5));
  next.add(record(3, 9), 20);
  expect(versionsAt(next, 8, 9)).toEqual([1, 3]);
});

it('takes a version once, and none that contradicts the others', () => {
  const held = historyOf(record(1, 5), record(2, 7));
  expect(held.add(record(2, 6, a), 0)).toBe(false);
  expect(held.add(record(3, 6), 0)).toBe(false);
  expect(versionsAt(held, 5, 6, 7)).toEqual([1, 1, 2]);
});

it('reports whether a state changes the routing of events', () => {
  const held = historyOf();
  expect(held.add(record(1, 1), 0)).toBe(true);
  expect(held.add(record(2, 2), 0)).toBe(false);
  expect(held.add(record(3, 3, a), 0)).toBe(true);
  expect(held.add(record(4, 4, a), 0)).toBe(false);
  expect(held.add(record(5, 5, a, b), 0)).toBe(true);
  expect(held.add(record(6, 6, b, a), 0)).toBe(true);
  expect(held.add(record(8, 8, b, a), 0)).toBe(true);
  expect(held.add({ position: 9, state: connectionState({ version: 9, deleted: true }) }, 0)).toBe(
    true,
  );
  expect(versionsAt(held, 8, 9)).toEqual([8, undefined]);
});

it('spans all versions that route alike', () => {
  const held = historyOf(record(1, 2), record(2, 4, a), record(3, 6, a), record(4, 8, a, b));
  expect(held.spanAt(0)).toEqual({ from: 0, until: 2 });
  expect(held.spanAt(3)).toEqual({ from: 2, until: 4 });
  for (const position of [4, 5, 6, 7]) expect(held.spanAt(position)).toEqual({ from: 4, until: 8 });
  expect(held.spanAt(8)).toEqual({ from: 8, until: Infinity });
});

it('forgets what ended before a position, and nothing that held there', () => {
  const held = historyOf(record(1, 2), record(2, 4), record(3, 6));
  held.forgetBefore(5);
  expect(versionsAt(held, 3, 4, 5, 6)).toEqual(['unknown', 2, 2, 3]);
  held.forgetBefore(6);
  expect(versionsAt(held, 5, 6)).toEqual(['unknown', 3]);
  held.forgetBefore(1_000);
  expect([held.length, ...versionsAt(held, 1_000)]).toEqual([1, 3]);
});

it('holds a bounded number of states from the log, and any number of added ones', () => {
  const held = historyOf();
  for (let version = 1; version <= MAX_HELD_STATES; version += 1)
    held.add(record(version, version), 0);
  expect([held.length, versionAt(held, 1)]).toEqual([MAX_HELD_STATES, 1]);
  held.add(record(MAX_HELD_STATES + 1, MAX_HELD_STATES + 1, a), 0);
  expect([held.length, ...versionsAt(held, 1, 2)]).toEqual([MAX_HELD_STATES, 'unknown', 2]);
  held.add(record(1, 1), 0);
  expect([held.length, ...versionsAt(held, 1, 2)]).toEqual([MAX_HELD_STATES + 1, 1, 2]);
});

describe('an added range of states', () => {
  const compacted = (): StateHistory<HistoricalConnection> => historyOf(record(5, 50));

  it('is known up to the end of the range', () => {
    const held = compacted();
    held.learn([record(2, 20), record(3, 30)], 35);
    expect(versionsAt(held, 19, 20, 29, 30, 35, 36, 49, 50)).toEqual([
      'unknown',
      2,
      2,
      3,
      3,
      'unknown',
      'unknown',
      5,
    ]);
    expect(held.spanAt(35)).toEqual({ from: 20, until: 36 });
  });

  it('held until the next version, where that is known', () => {
    const held = compacted();
    held.learn([record(4, 40)], 45);
    expect(versionsAt(held, 39, 40, 46, 49, 50)).toEqual(['unknown', 4, 4, 4, 5]);
    held.learn([record(4, 40)], 1_000);
    expect(held.spanAt(45)).toEqual({ from: 40, until: Infinity });
  });

  it('has no connection before its first version', () => {
    const held = compacted();
    held.learn([record(1, 10)], 9);
    expect(versionsAt(held, 0, 9, 10, 11)).toEqual([undefined, undefined, 1, 'unknown']);
    expect(held.spanAt(9)).toEqual({ from: 0, until: 10 });
  });

  it('has no connection when it is empty', () => {
    const held = compacted();
    held.learn([], 9);
    held.learn([], 8);
    expect(versionsAt(held, 0, 9, 10)).toEqual([undefined, undefined, 'unknown']);
    expect(held.spanAt(9)).toEqual({ from: 0, until: 10 });
    held.learn([record(1, 12)], 14);
    expect(versionsAt(held, 9, 11, 12, 14, 15)).toEqual([undefined, undefined, 1, 1, 'unknown']);
    expect(held.spanAt(9)).toEqual({ from: 0, until: 12 });
  });

  it('is not added where it contradicts what is held', () => {
    const held = compacted();
    held.learn([record(5, 45), record(6, 55)], 60);
    expect(versionsAt(held, 45, 50, 60)).toEqual(['unknown', 5, 5]);
    held.learn([record(3, 40)], 42);
    held.learn([], 45);
    expect(versionsAt(held, 39, 40, 42, 43, 60)).toEqual(['unknown', 3, 3, 'unknown', 5]);
  });

  it('adds up over several answers', () => {
    const held = compacted();
    held.learn([record(2, 20)], 25);
    held.learn([record(3, 30)], 35);
    expect(versionsAt(held, 25, 26, 30, 35)).toEqual([2, 2, 3, 3]);
    held.learn([record(3, 30)], 32);
    expect(versionsAt(held, 25, 35, 36)).toEqual([2, 3, 'unknown']);
  });
});
