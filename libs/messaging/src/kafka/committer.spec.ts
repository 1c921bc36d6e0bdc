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

it('commits the first position at once, and gathers later ones, the last of each partition', async () => {
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

it('repeats a failed commit, except where a newer position has come', async () => {
  let isAway = true;
  const { committer, commits, warnings } = committerWith(() =>
    isAway ? Promise.reject(new Error('rebalance')) : Promise.resolve(),
  );
  committer.handledUpTo(0, 1);
  committer.handledUpTo(1, 1);
  while (warnings.length === 0) await sleep(1);
  isAway = false;
  committer.handledUpTo(0, 2);
  const after = commits.length;
  const partitions = (): number =>
    new Set(
      commits
        .slice(after)
        .flat()
        .map(([of]) => of),
    ).size;
  while (partitions() < 2) await sleep(1);
  expect(commits.slice(after).flat().sort()).toEqual([
    [0, 2],
    [1, 1],
  ]);
  await committer.close();
});

it('closes when a commit fails', async () => {
  const { committer, commits } = committerWith(() => Promise.reject(new Error('gone')));
  committer.handledUpTo(0, 1);
  await committer.close();
  expect(commits.length).toBeGreaterThan(0);
  expect(commits.length).toBeLessThanOrEqual(2);
});

it('commits given positions', async () => {
  const { committer, commits } = committerWith();
  const positions: Commits = new Map([[3, 7]]);
  await committer.commit(positions);
  expect(commits).toEqual([[[3, 7]]]);
});
