import type { LeaseGrant, PartitionProgress } from '../store/router-store';
import { FakeClock } from '../testing/fake-clock';
import type { Clock } from '../time/clock';
import type { LeaseStore } from './lease-store';
import { LeaseTable } from './lease-table.fixture';
import { Ownership } from './ownership';
import { OwnershipHost } from './ownership-host';
import type { OwnershipOptions } from './ownership-options';

/** A host that behaves as the test sets `takes` and `leaves`, and records its calls in `notes`. */
export class NotingHost extends OwnershipHost {
  readonly notes: string[] = [];
  readonly has = new Set<number>();
  takes: (grant: LeaseGrant, signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  leaves: (partition: number, deadline: AbortSignal) => Promise<void> = () => Promise.resolve();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async take(grant: LeaseGrant, _: PartitionProgress, signal: AbortSignal): Promise<void> {
    this.note('take', grant.partition);
    await this.takes(grant, signal);
    this.has.add(grant.partition);
  }

  override async leave(partition: number, deadline: AbortSignal): Promise<void> {
    this.note('leave', partition);
    await this.leaves(partition, deadline);
    this.has.delete(partition);
    this.note('left', partition);
  }

  override lost(partition: number): void {
    this.note('lost', partition);
    this.has.delete(partition);
  }

  private note(what: string, partition: number): void {
    this.notes.push(`${String(Math.round(this.clock.nowMs()))} ${what} ${String(partition)}`);
  }
}

export type Call = 'beat' | 'leave' | 'acquire' | 'renew' | 'release' | 'restore';

/** A store whose calls can be made to fail or hang, before or after they were executed. */
export class ScriptedStore implements LeaseStore {
  readonly member: string;
  readonly calls: Call[] = [];
  /** Called for each call with its name and the function that executes it. */
  script: <T>(call: Call, work: () => Promise<T>) => Promise<T> = (_, work) => work();

  constructor(private readonly inner: LeaseStore) {
    this.member = inner.member;
  }

  readonly beat: LeaseStore['beat'] = (count) => this.call('beat', () => this.inner.beat(count));
  readonly leave: LeaseStore['leave'] = () => this.call('leave', () => this.inner.leave());
  readonly acquire: LeaseStore['acquire'] = (partitions) =>
    this.call('acquire', () => this.inner.acquire(partitions));
  readonly renew: LeaseStore['renew'] = (grants) =>
    this.call('renew', () => this.inner.renew(grants));
  readonly release: LeaseStore['release'] = (grants) =>
    this.call('release', () => this.inner.release(grants));
  readonly restore: LeaseStore['restore'] = (grant) =>
    this.call('restore', () => this.inner.restore(grant));

  private call<T>(call: Call, work: () => Promise<T>): Promise<T> {
    this.calls.push(call);
    return this.script(call, work);
  }
}

export interface TestMember {
  readonly ownership: Ownership;
  readonly host: NotingHost;
  readonly store: ScriptedStore;
  readonly errors: unknown[];
}

export const testMember = (
  table: LeaseTable,
  clock: Clock,
  name: string,
  options: Partial<OwnershipOptions> = {},
): TestMember => {
  const store = new ScriptedStore(table.as(name));
  const host = new NotingHost(clock);
  const errors: unknown[] = [];
  const ownership = new Ownership(
    store,
    clock,
    { leaseMs: table.leaseMs, ...options },
    host,
    (error) => errors.push(error),
  );
  return { ownership, host, store, errors };
};

export const LEASE_MS = 10_000;
export const never = (): Promise<never> => new Promise<never>(() => undefined);
export const away = (): Promise<never> => Promise.reject(new Error('the database is away'));

/** A database, and a function that starts a member on it. */
export const installation = () => {
  const clock = new FakeClock();
  const table = new LeaseTable(clock, LEASE_MS);
  const join = (name: string, partitions: number, options?: Partial<OwnershipOptions>) => {
    const member = testMember(table, clock, name, options);
    member.ownership.start(partitions);
    return member;
  };
  return { clock, table, join };
};

export const owned = ({ ownership }: TestMember): number[] =>
  [...ownership.states()].flatMap(([partition, state]) => (state === 'owned' ? [partition] : []));

export const rests = (clock: FakeClock, ms: number): Promise<void> =>
  new Promise<void>((resolve) => void clock.after(ms, resolve));

/** Makes the n-th call of a kind fail. @param isDone whether it is executed before it fails. */
export const failing = (member: TestMember, kind: Call, nth: number, isDone: boolean): void => {
  let count = 0;
  member.store.script = async (call, work) => {
    if (call !== kind || (count += 1) !== nth) return work();
    if (isDone) await work();
    throw new Error(`${kind} failed`);
  };
};
