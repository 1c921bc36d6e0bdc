import type { WorkspaceId } from '@penstock/contracts';
import fc from 'fast-check';
import { FakeClock } from '../testing/fake-clock';
import { IdentityNotices } from './identity-notices';

type Answer = 'answered' | 'refused' | 'late';

/** A router, and what it has told at which second. @param answers of the executors, in turn; then they answer */
const opened = (answers: readonly Answer[] = []) => {
  const clock = new FakeClock();
  const told: [number, readonly string[]][] = [];
  const errors: unknown[] = [];
  const left = [...answers];
  const notices = new IdentityNotices({
    clock,
    tell: async (workspaces) => {
      const answer = left.shift() ?? 'answered';
      told.push([clock.nowMs() / 1_000, workspaces]);
      if (answer === 'late') await new Promise<void>((resolve) => clock.after(7_000, resolve));
      if (answer === 'refused') throw new Error('nobody answers');
    },
    onError: (error) => errors.push(error),
  });
  const note = (name: string): void => {
    notices.note(name as WorkspaceId);
  };
  return { clock, told, errors, notices, note };
};

it('tells of a workspace at once, and of no more that is written there for five seconds', async () => {
  const { clock, told, note } = opened();
  for (let second = 0; second < 12; second += 1) {
    note('a');
    if (second === 3) note('b');
    await clock.advance(1_000);
  }
  await clock.advance(20_000);
  expect(told).toEqual([
    [0.05, ['a']],
    [3.05, ['b']],
    [6.05, ['a']],
  ]);
  expect(clock.pending).toBe(0);
});

it('tells again, five seconds later, of what was not answered', async () => {
  const { clock, told, errors, note } = opened(['refused', 'late']);
  note('a');
  note('b');
  await clock.advance(1_000);
  note('a');
  await clock.advance(7_000);
  expect(told).toEqual([
    [0.05, ['a', 'b']],
    [5.05, ['a', 'b']],
  ]);
  expect(errors).toHaveLength(1);
  await clock.advance(4_000);
  note('b');
  await clock.advance(20_000);
  expect(told.slice(2)).toEqual([[12.55, ['b']]]);
});

it('tells of a thousand at once, and remembers ten thousand', async () => {
  const { clock, told, note } = opened();
  for (let n = 0; n < 10_001; n += 1) note(`w${String(n)}`);
  await clock.advance(30_000);
  expect(told.map(([, all]) => all.length)).toEqual(Array(10).fill(1_000));
  expect(told.flatMap(([, all]) => all)).not.toContain('w10000');
});

it('tells the rest when it stops, once, and waits for an answer no longer than two seconds', async () => {
  const { clock, told, notices, note } = opened();
  note('a');
  await clock.advance(1_000);
  note('a');
  note('b');
  await notices.stop();
  note('c');
  await clock.advance(60_000);
  expect(told).toEqual([
    [0.05, ['a']],
    [1, ['b']],
  ]);
  const late = opened(['late']);
  late.note('a');
  const stopped = late.notices.stop();
  await late.clock.advance(2_000);
  await stopped;
  expect(late.told).toHaveLength(1);
});

it('whatever is answered, the notice of each write holds at it, or comes after it, as often as it may', async () => {
  const write = fc.record({ wait: fc.nat({ max: 7 }), name: fc.constantFrom('a', 'b', 'c') });
  const answer = fc.constantFrom<Answer>('answered', 'refused', 'late');
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 20 }),
      fc.array(answer, { maxLength: 10 }),
      async (writes, answers) => {
        const { clock, told, note } = opened(answers);
        const last = new Map<string, number>();
        for (const { wait, name } of writes) {
          await clock.advance(wait * 1_000 + 1);
          note(name);
          last.set(name, clock.nowMs() / 1_000);
        }
        await clock.advance(200_000);
        const accepted = told.filter((_, n) => answers[n] !== 'refused');
        for (const [name, at] of last)
          expect(accepted.some(([when, all]) => when > at - 5 && all.includes(name))).toBe(true);
        for (const name of ['a', 'b', 'c']) {
          const times = told.filter(([, all]) => all.includes(name)).map(([when]) => when);
          times.slice(1).forEach((at, n) => expect(at - times[n]!).toBeGreaterThan(4.999));
        }
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
