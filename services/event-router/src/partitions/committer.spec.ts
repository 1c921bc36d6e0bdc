import { setTimeout as pause } from 'node:timers/promises';
import type { PipelineId } from '@penstock/contracts';
import { DELIVERED } from '../lanes/ending';
import type { PartitionChanges } from '../store/changes';
import { LeaseLost, type RouterStore } from '../store/router-store';
import { Committer } from './committer';
import { MemoryBudget } from './memory-budget';
import { Partition } from './partition';
import { Ticket } from './ticket';

const PIPELINE = 'p' as PipelineId;

/** Notes what is committed and how many commits run at once; fails as it is told. */
class NotedCommits {
  readonly done: PartitionChanges[] = [];
  most = 0;
  failWith: Error | undefined;
  private running = 0;

  async commit(changes: readonly PartitionChanges[]): Promise<void> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await pause(5);
    this.running -= 1;
    if (this.failWith !== undefined) throw this.failWith;
    this.done.push(...changes);
  }
}

const set = (number = 0) => {
  const commits = new NotedCommits();
  const budget = new MemoryBudget(1_000);
  const errors: unknown[] = [];
  const lost: number[] = [];
  const committer = new Committer(
    commits as unknown as RouterStore,
    budget,
    { commitIntervalMs: 5, commitChanges: 1_000 },
    (partition) => lost.push(partition),
    (error) => errors.push(error),
  );
  const partition = new Partition(number, 1, { next: 0, beyond: [] }, () => committer.changed());
  committer.watch(partition);
  const finish = (offset: number): void => {
    partition.receive(offset);
    budget.take(10);
    const ticket = new Ticket(partition, offset, `hash-${offset}`, 'd', 10);
    partition.begin(ticket);
    partition.count(PIPELINE, DELIVERED, 0);
    ticket.release();
  };
  return { commits, committer, budget, errors, lost, partition, finish };
};

it('writes the finished prefix with everything that belongs to it, then gives the memory back', async () => {
  const { commits, committer, budget, finish } = set();
  finish(0);
  finish(1);
  expect(budget.used).toBe(20);
  await committer.flush();
  expect(commits.done).toEqual([
    expect.objectContaining({
      next: 2,
      counts: new Map([['p|Delivered|Finalize||0', 2]]),
      messages: new Map([
        ['hash-0', 'd'],
        ['hash-1', 'd'],
      ]),
    }),
  ]);
  expect(budget.used).toBe(0);
});

it('runs one transaction at a time, however many ask', async () => {
  const { commits, committer, finish } = set();
  finish(0);
  const first = committer.flush();
  finish(1);
  const second = committer.flush();
  const third = committer.flush();
  await Promise.all([first, second, third]);
  expect(commits.most).toBe(1);
  expect(commits.done.map(({ next }) => next)).toEqual([1, 2]);
});

it('keeps what could not be written and writes it with what came later', async () => {
  const { commits, committer, budget, finish } = set();
  commits.failWith = new Error('away');
  finish(0);
  await expect(committer.flush()).rejects.toThrow('away');
  commits.failWith = undefined;
  finish(1);
  await committer.flush();
  committer.stop();
  expect(commits.done).toHaveLength(1);
  expect(commits.done[0]).toMatchObject({
    next: 2,
    counts: new Map([['p|Delivered|Finalize||0', 2]]),
  });
  expect(budget.used).toBe(0);
});

it('tells of a partition that has another owner', async () => {
  const { commits, committer, lost, finish } = set(7);
  commits.failWith = new LeaseLost([7]);
  finish(0);
  await committer.flush();
  committer.stop();
  expect(lost).toEqual([7]);
  expect(commits.done).toEqual([]);
});

it('commits by itself an interval after a change', async () => {
  const { commits, finish } = set();
  finish(0);
  for (let tries = 0; commits.done.length === 0 && tries < 500; tries += 1) await pause(5);
  expect(commits.done).toHaveLength(1);
});
