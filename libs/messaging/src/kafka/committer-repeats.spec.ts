import { Committer } from './committer';

/** A value that comes when the test says so. */
const awaited = <T>() => {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
};

/** A committer whose first commit fails when the test says so; all others succeed. */
const committerThatFailsFirst = () => {
  const commits: string[] = [];
  const first = awaited<undefined>();
  const warned = awaited<undefined>();
  const committer = new Committer(
    {
      commitOffsets: async (positions) => {
        commits.push(positions.map(({ partition, offset }) => `${partition}: ${offset}`).join());
        if (commits.length === 1) await first.promise;
      },
    },
    'topic',
    () => {
      warned.resolve(undefined);
    },
  );
  const failFirst = async (): Promise<void> => {
    first.reject(new Error('rebalance'));
    await warned.promise;
  };
  return { committer, commits, failFirst };
};

it('a commit that fails leaves alone the newer position that has come during it', async () => {
  const { committer, commits, failFirst } = committerThatFailsFirst();
  committer.handledUpTo(0, 1);
  expect(commits).toEqual(['0: 1']);
  committer.handledUpTo(0, 2);
  await failFirst();
  await committer.close();
  expect(commits).toEqual(['0: 1', '0: 2']);
});

it('a commit that fails is repeated where no newer position has come', async () => {
  const { committer, commits, failFirst } = committerThatFailsFirst();
  committer.handledUpTo(0, 1);
  committer.handledUpTo(1, 7);
  await failFirst();
  await committer.close();
  expect(commits).toHaveLength(2);
  expect(commits[1]?.split(',').sort()).toEqual(['0: 1', '1: 7']);
});
