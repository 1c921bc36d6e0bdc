import type { PipelineId, RunId, WorkspaceId } from '@penstock/contracts';
import type { EndedRun, Finished, Postponed } from '../store/run-store';
import { EndedRuns, type EndedRunsDependencies } from './ended-runs';

/** Runs that have ended, and what was done for them. */
class Ended {
  readonly told = new Set<RunId>();
  readonly cleaned = new Set<RunId>();
  readonly errors: RunId[] = [];
  readonly forgotten: RunId[] = [];

  constructor(private readonly runs: readonly EndedRun[]) {}

  readonly store = {
    left: (what: Finished, limit: number, but: Postponed): Promise<readonly EndedRun[]> =>
      Promise.resolve(
        this.runs
          .filter(({ run }) => (what === 'told' ? !this.told.has(run) : this.told.has(run)))
          .filter(({ run }) => what === 'told' || !this.cleaned.has(run))
          .filter(
            (each) => !but.runs.includes(each.run) && !but.workspaces.includes(each.workspace),
          )
          .slice(0, limit),
      ),
    finish: (run: RunId, done: Finished): Promise<void> => {
      this[done].add(run);
      return Promise.resolve();
    },
    forgetKeys: (run: RunId): Promise<void> => {
      this.forgotten.push(run);
      return Promise.resolve();
    },
  };
}

const runsOf = (workspace: string, count: number): EndedRun[] =>
  Array.from({ length: count }, (_, at) => ({
    run: `${workspace}${String(at).padStart(4, '0')}` as RunId,
    pipeline: 'pipeline' as PipelineId,
    workspace: workspace as WorkspaceId,
    epoch: 1,
    status: 'Failed' as const,
    cursor: null,
    error: '',
    endedAt: '2026-01-01T00:00:00.000Z' as never,
    wasClaimed: false,
    isExport: false,
    hasMatches: false,
  }));

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

/** @param within what the warehouse of a workspace does */
const endedRuns = (
  ended: Ended,
  within: (workspace: WorkspaceId, signal: AbortSignal) => Promise<void>,
  endRun: () => Promise<void> = () => Promise.resolve(),
  resolve: EndedRunsDependencies['resolve'] = () => Promise.resolve(),
  isWritable: EndedRunsDependencies['isWritable'] = () => true,
): EndedRuns =>
  new EndedRuns({
    store: ended.store,
    endRun,
    resolve,
    writers: {
      within: (workspace: WorkspaceId, signal: AbortSignal) => within(workspace, signal),
    } as never,
    isDeleted: () => false,
    isWritable,
    onError: (_, run) => ended.errors.push(run),
  });

const pass = async (runs: EndedRuns): Promise<void> => {
  await runs.tellAll();
  await runs.cleanAll();
  await new Promise((resolve) => setImmediate(resolve));
};

it('tells and cleans up after each run, however many runs of another workspace cannot be cleaned up after', async () => {
  const ended = new Ended([...runsOf('away', 120), ...runsOf('fine', 120)]);
  const runs = endedRuns(ended, (workspace) =>
    workspace === 'away' ? Promise.reject(new Error('away')) : Promise.resolve(),
  );
  for (let each = 0; each < 10; each += 1) await pass(runs);
  expect(ended.told.size).toBe(240);
  expect([...ended.cleaned].filter((run) => run.startsWith('fine'))).toHaveLength(120);
  // One of them has failed; the others would, too.
  expect(ended.errors).toHaveLength(1);
});

it('waits for no warehouse that does not answer, and gives it up when it is closed', async () => {
  const ended = new Ended([...runsOf('dumb', 3), ...runsOf('fine', 3)]);
  const runs = endedRuns(ended, (workspace, signal) =>
    workspace === 'dumb' ? aborted(signal) : Promise.resolve(),
  );
  for (let each = 0; each < 3; each += 1) await pass(runs);
  expect([...ended.cleaned].sort()).toEqual(['fine0000', 'fine0001', 'fine0002']);
  await runs.close();
  expect(ended.errors).toEqual([]);
});

it('cleans up after no run whose end could not be told, and tells the others', async () => {
  const ended = new Ended(runsOf('fine', 60));
  let calls = 0;
  const runs = endedRuns(
    ended,
    () => Promise.resolve(),
    () => ((calls += 1) === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve()),
  );
  for (let each = 0; each < 3; each += 1) await pass(runs);
  expect(ended.errors).toEqual(['fine0000']);
  expect([ended.told.size, ended.cleaned.size]).toEqual([59, 59]);
});

it('asks for a resolution after each run that a worker has had, until there is an answer', async () => {
  const [queued, first, second] = runsOf('fine', 3) as [EndedRun, EndedRun, EndedRun];
  const claimed = [first, second].map((each) => ({ ...each, wasClaimed: true }));
  const ended = new Ended([queued, ...claimed]);
  const asked: WorkspaceId[] = [];
  const runs = endedRuns(
    ended,
    () => Promise.resolve(),
    () => Promise.resolve(),
    (workspace) => {
      asked.push(workspace);
      return asked.length === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve();
    },
  );
  await pass(runs);
  expect(asked).toEqual(['fine', 'fine']);
  expect([...ended.told]).toEqual([queued.run, second.run]);
  expect(ended.errors).toEqual([first.run]);
});

it('asks for the resolution after a run under one command, however many executors tell its end', async () => {
  const runs = runsOf('fine', 2).map((each) => ({ ...each, wasClaimed: true }));
  const ended = new Ended(runs);
  const commands: string[] = [];
  const executors = [1, 2].map(() =>
    endedRuns(
      ended,
      () => Promise.resolve(),
      () => Promise.resolve(),
      (_, command) => Promise.resolve(void commands.push(command)),
    ),
  );
  await Promise.all(executors.map((each) => each.tellAll()));
  expect(commands).toHaveLength(4);
  expect(new Set(commands).size).toBe(2);
});

it('forgets the keys of an export, asks for no resolution, and leaves its warehouse alone', async () => {
  const runs = runsOf('away', 2).map((each) => ({ ...each, isExport: true, wasClaimed: true }));
  const ended = new Ended(runs);
  const away = () => Promise.reject(new Error('away'));
  const executor = endedRuns(
    ended,
    away,
    () => Promise.resolve(),
    () => Promise.reject(new Error('an export has changed no identity')),
  );
  await pass(executor);
  const all = runs.map(({ run }) => run);
  expect(ended.errors).toEqual([]);
  expect(ended.forgotten).toEqual(all);
  expect([...ended.cleaned]).toEqual(all);
});

it('writes into no warehouse whose mode does not allow it, and cleans up after exports that have written nothing there', async () => {
  const [one, other] = runsOf('inspected', 2) as [EndedRun, EndedRun];
  const ended = new Ended([{ ...one, isExport: true }, other, ...runsOf('fine', 1)]);
  const written: WorkspaceId[] = [];
  const runs = endedRuns(
    ended,
    (workspace) => Promise.resolve(void written.push(workspace)),
    undefined,
    undefined,
    (workspace) => workspace !== 'inspected',
  );
  for (let each = 0; each < 3; each += 1) await pass(runs);
  expect(written).toEqual(['fine']);
  expect([...ended.cleaned].sort()).toEqual(['fine0000', one.run]);
  expect(ended.errors).toEqual([]);
});
