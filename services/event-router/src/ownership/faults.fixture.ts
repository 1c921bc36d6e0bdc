import type { LeaseGrant } from '../store/router-store';
import type { Clock } from '../time/clock';
import type { LeaseStore } from './lease-store';
import type { LeaseTable } from './lease-table.fixture';
import type { ProcessClock } from './process-clock.fixture';

/**
 * The course of one call of the store or the host: delay before it is executed, delay of its answer, kind of failure.
 */
export interface Fault {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly kind: 'none' | 'undone' | 'unheard' | 'hangs';
}

const HEALTHY: Fault = { beforeMs: 1, afterMs: 1, kind: 'none' };

/** Assigns the faults to successive calls, in a cycle; none after `heal`. */
export class Faults {
  private index = 0;
  private isHealed = false;
  private readonly hanging: (() => void)[] = [];

  constructor(private readonly faults: readonly Fault[]) {}

  next(): Fault {
    if (this.isHealed || this.faults.length === 0) return HEALTHY;
    this.index += 1;
    return this.faults[this.index % this.faults.length] ?? HEALTHY;
  }

  /** A promise that rejects only when `heal` is called; at once when it has been called. */
  hang(): Promise<never> {
    if (this.isHealed) return Promise.reject(new Error('cut off'));
    return new Promise((_, reject) =>
      this.hanging.push(() => {
        reject(new Error('cut off'));
      }),
    );
  }

  heal(): void {
    this.isHealed = true;
    for (const each of this.hanging) each();
  }
}

/** A store over the shared table whose calls are delayed, fail or hang as `faults` sets. */
export const flakyStore = (
  table: LeaseTable,
  world: Clock,
  clock: ProcessClock,
  faults: Faults,
  onRenew: (grants: readonly LeaseGrant[]) => void,
  member: string,
): LeaseStore => {
  const inner = table.as(member);
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    const { beforeMs, afterMs, kind } = faults.next();
    await new Promise<void>((resolve) => void world.after(beforeMs, resolve));
    if (kind === 'hangs') return faults.hang();
    const answer = kind === 'undone' ? Promise.reject(new Error('refused')) : work();
    await new Promise<void>((resolve) => void world.after(afterMs, resolve));
    return new Promise((resolve, reject) => {
      answer.then(
        (value) => {
          clock.enter(() => {
            if (kind === 'none') resolve(value);
            else reject(new Error('cut off'));
          });
        },
        (error: unknown) => {
          clock.enter(() => {
            reject(error instanceof Error ? error : new Error(String(error)));
          });
        },
      );
      answer.catch(() => undefined);
    });
  };
  return {
    member,
    beat: (partitions) => call(() => inner.beat(partitions)),
    leave: () => call(() => inner.leave()),
    acquire: (partitions) => call(() => inner.acquire(partitions)),
    renew: (grants) => {
      onRenew(grants);
      return call(() => inner.renew(grants));
    },
    release: (grants) => call(() => inner.release(grants)),
    restore: (grant) => call(() => inner.restore(grant)),
  };
};
