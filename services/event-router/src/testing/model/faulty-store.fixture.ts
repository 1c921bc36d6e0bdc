import type { PartitionChanges } from '../../store/changes';
import { type LeaseGrant, RouterStore } from '../../store/router-store';
import type { ProcessClock } from './process-clock.fixture';
import { everyCall } from './every-call.fixture';
import type { Simulation } from './simulation.fixture';

/** Faults of the store of a simulation, as probabilities. */
export interface StoreFaults {
  /** Calls that fail without being executed. */
  failing: number;
  /** Calls that are executed and whose answer is lost. */
  lostAnswers: number;
  /** Commits that are applied only after the caller has received a failure. */
  late: number;
  maxDelayMs: number;
}

/** Locks of partitions, which a transaction holds until its end. */
export class Locks {
  private readonly held = new Map<number, Promise<void>>();

  async take(partitions: readonly number[]): Promise<() => void> {
    let free: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (free = resolve));
    const before = partitions.map((each) => this.held.get(each) ?? Promise.resolve());
    for (const each of partitions) this.held.set(each, mine);
    await Promise.all(before);
    return free;
  }
}

type Method = Exclude<
  keyof RouterStore,
  'member' | 'hasFormerIds' | 'jobs' | 'redrives' | 'replays' | 'commit'
>;

const METHODS: readonly Method[] = [
  'prepare',
  'log',
  'beginAnew',
  'beat',
  'leave',
  'acquire',
  'renew',
  'release',
  'restore',
  'refusedRows',
  'waiting',
  'seen',
  'lanes',
  'pause',
  'resume',
  'takeTokens',
  'keptBodies',
  'erase',
  'unrelayed',
  'markRelayed',
  'noteWaiting',
  'unbalanced',
  'rollUp',
  'sweep',
  'ping',
];

const partitionsOf = (name: Method, [first]: unknown[]): number[] => {
  if (name === 'acquire') return [...(first as number[])];
  if (name === 'restore') return [(first as LeaseGrant).partition];
  if (name === 'renew' || name === 'release')
    return (first as LeaseGrant[]).map(({ partition }) => partition);
  return [];
};

/** Wraps a store: every call takes time and may fail. */
export const faultyStore = (
  simulation: Simulation,
  clock: ProcessClock,
  store: RouterStore,
  faults: StoreFaults,
  locks: Locks,
): RouterStore => {
  const pause = (): Promise<void> => simulation.sleep(simulation.between(0, faults.maxDelayMs));

  const fail = (message: string): never => {
    clock.noteIncident();
    throw new Error(message);
  };

  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause();
    if (clock.isKilled && simulation.chance(0.5)) fail('the process was killed');
    if (simulation.chance(faults.failing)) fail('the database is away');
    const result = await work();
    await pause();
    if (simulation.chance(faults.lostAnswers)) fail('the answer was lost');
    return result;
  };

  const commit = async (changes: readonly PartitionChanges[]): Promise<readonly number[]> => {
    const free = await locks.take(changes.map(({ partition }) => partition));
    try {
      return await store.commit(changes);
    } finally {
      free();
    }
  };

  const lateCommit = async (changes: readonly PartitionChanges[]): Promise<never> => {
    const partitions = changes.map(({ partition }) => partition);
    const free = await locks.take(partitions);
    void pause()
      .then(() => store.commit(changes))
      .catch(() => undefined)
      .finally(free);
    return fail('the connection was cut');
  };

  /** Calls that read or change leases lock the partitions' rows, too. */
  const locked = async (name: Method, args: never[]): Promise<unknown> => {
    const work = (): Promise<unknown> =>
      (store[name] as (...all: never[]) => Promise<unknown>)(...args);
    const partitions = partitionsOf(name, args);
    if (partitions.length === 0) return work();
    const free = await locks.take(partitions);
    try {
      return await work();
    } finally {
      free();
    }
  };

  const faulty = Object.create(RouterStore.prototype) as Record<string, unknown>;
  Object.defineProperty(faulty, 'member', { get: () => store.member });
  Object.defineProperty(faulty, 'hasFormerIds', { get: () => store.hasFormerIds });
  const port = <Port extends object>(own: Port): Port =>
    everyCall(own, (work) => clock.reach(call(work)));
  Object.defineProperty(faulty, 'jobs', { value: port(store.jobs) });
  Object.defineProperty(faulty, 'redrives', { value: port(store.redrives) });
  Object.defineProperty(faulty, 'replays', { value: port(store.replays) });
  for (const name of METHODS)
    faulty[name] = (...args: never[]) => clock.reach(call(() => locked(name, args)));
  faulty['commit'] = (changes: readonly PartitionChanges[]) =>
    clock.reach(
      simulation.chance(faults.late)
        ? pause().then(() => lateCommit(changes))
        : call(() => commit(changes)),
    );
  return faulty as unknown as RouterStore;
};
