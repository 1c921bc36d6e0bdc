import { setTimeout as sleep } from 'node:timers/promises';
import { Committer } from './committer';

type Commits = Parameters<Committer['commit']>[0];

const committerWith = (commit: () => Promise<void> = () => Promise.resolve()) => {
  const commits: [number, number][][] = [];
  const warnings: string[] = [];
  const committer = new Committer(
    {
      commitOffsets: (positions) => {
        commits.push(positions.map(({ partition, offset }) => [partition, Number(offset)]));
        return commit();
      },
    },
    't',
    (_, message) => warnings.push(message),
  );
  return { committer, commits, warnings };
};

it('commits the first at once, and gathers what follows, the last of each partition', async () => {
  const { committer, commits } = committerWith();
  committer.handledUpTo(0, 1);
  for (let offset = 2; offset <= 9; offset += 1) committer.handledUpTo(0, offset);
  committer.handledUpTo(1, 5);
  await committer.close();
  expect(commits).toEqual([
    [[0, 1]],
    [
      [0, 9],
      [1, 5],
    ],
  ]);
});

it('repeats what was not taken, in so far as nothing newer came', async () => {
  let isAway = true;
  const { committer, commits, warnings } = committerWith(() =>
    isAway ? Promise.reject(new Error('rebalance')) : Promise.resolve(),
  );
  committer.handledUpTo(0, 1);
  committer.handledUpTo(1, 1);
  await sleep(10);
  isAway = false;
  committer.handledUpTo(0, 2);
  await sleep(200);
  expect(commits.flat().slice(-2).sort()).toEqual([
    [0, 2],
    [1, 1],
  ]);
  expect(warnings.length).toBeGreaterThan(0);
  await committer.close();
});

it('closes although a commit is not taken', async () => {
  const { committer, commits } = committerWith(() => Promise.reject(new Error('gone')));
  committer.handledUpTo(0, 1);
  await committer.close();
  expect(commits.length).toBeLessThanOrEqual(2);
});

it('commits what it is told to', async () => {
  const { committer, commits } = committerWith();
  const positions: Commits = new Map([[3, 7]]);
  await committer.commit(positions);
  expect(commits).toEqual([[[3, 7]]]);
});
