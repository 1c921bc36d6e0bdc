import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import type { AttemptRecord } from '../store/changes';
import { attemptRecord } from '../store/contract/changes.fixture';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { AttemptTrail } from './attempt-trail';

const begin = () => {
  const grant = { partition: 0, epoch: 1 };
  const clock = new FakeClock();
  const partition = new OwnedPartition(
    grant,
    NO_PROGRESS,
    new RequestsInFlight(),
    clock,
    () => undefined,
  );
  const recorded: AttemptRecord[] = [];
  const commit = (): readonly AttemptRecord[] => {
    const attempts = partition.pending()?.changes.attempts ?? [];
    partition.confirm();
    recorded.push(...attempts);
    return attempts;
  };
  return { trail: new AttemptTrail(partition), commit, recorded };
};

const attempts = (trail: AttemptTrail, from: number, to: number): void => {
  for (let attempt = from; attempt <= to; attempt += 1) {
    trail.add(attemptRecord({ attempt }));
    trail.dueAt(1_000 + attempt);
  }
};

const numbersOf = (records: readonly AttemptRecord[]) => records.map(({ attempt }) => attempt);
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

it('records the first ten attempts at once, each with the time at which it is due again', () => {
  const { trail, commit } = begin();
  attempts(trail, 1, 1);
  expect(commit()).toEqual([attemptRecord({ attempt: 1, dueMs: 1_001 })]);
  attempts(trail, 2, 11);
  expect(numbersOf(commit())).toEqual(from(2, 10));
});

it.each([
  [10, []],
  [11, [11]],
  [20, from(11, 20)],
  [21, from(12, 21)],
  [300, from(291, 300)],
])('of %d attempts records at the end the last ones, after the first ten', (count, last) => {
  const { trail, commit, recorded } = begin();
  attempts(trail, 1, count);
  commit();
  trail.end();
  expect(numbersOf(commit())).toEqual(last);
  trail.end();
  expect(commit()).toEqual([]);
  expect(recorded.length).toBeLessThanOrEqual(20);
});

it('continues the numbers of an earlier process', () => {
  const { trail, commit } = begin();
  attempts(trail, 40, 42);
  expect(commit()).toEqual([]);
  trail.end();
  expect(numbersOf(commit())).toEqual([40, 41, 42]);
});

it('leaves a commit that was composed unchanged', () => {
  const { trail, commit } = begin();
  attempts(trail, 1, 1);
  const [first] = commit();
  trail.dueAt(7);
  expect(first).toMatchObject({ dueMs: 1_001 });
});

it('records an attempt that has ended the delivery as not due again', () => {
  const { trail, commit } = begin();
  trail.add(attemptRecord({ attempt: 1 }));
  trail.end();
  expect(commit()).toMatchObject([{ attempt: 1, dueMs: 0 }]);
});
