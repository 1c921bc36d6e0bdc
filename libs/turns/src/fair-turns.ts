import { TurnRefused } from './turn-refused';
import { type Waiter, WaitingShare } from './waiting-share';

/** Number of places from which one is kept for a share that has none. */
const KEEPING_PLACES = 4;

/** Limits of {@link FairTurns}. */
export interface FairTurnsLimits {
  /** Tasks that run concurrently, 1 or more. */
  readonly places: number;
  /** Waiting tasks of one share. Default: no limit. */
  readonly maxWaitingOfShare?: number;
  /** Waiting tasks in total: beyond this, the latest task of the largest share is refused. Default: no limit. */
  readonly maxWaiting?: number;
}

/** A request for a turn. */
export interface TurnRequest {
  /** Owner of the turn, for instance a workspace. */
  readonly share: string;
  /** Lines of one share are served in turn. Default: one line for all. */
  readonly line?: string;
  /** Ends the wait. Does not end a running task. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets a limited number of tasks run concurrently. Waiting shares are served round robin, and none of them has more
 * than half of the places (rounded up) while another waits. A single share has all places but one, so that the next
 * share can begin at once; with fewer than four places, it has all.
 */
export class FairTurns {
  private free: number;
  private waitingTasks = 0;
  /** Number of running tasks of each share. */
  private readonly running = new Map<string, number>();
  /** Shares with waiting tasks, the next to be served first. */
  private readonly waiting = new Map<string, WaitingShare>();

  constructor(private readonly limits: FairTurnsLimits) {
    this.free = limits.places;
  }

  /** Number of running tasks. */
  get taken(): number {
    return this.limits.places - this.free;
  }

  /** Number of waiting tasks. */
  get waits(): number {
    return this.waitingTasks;
  }

  /** Whether nothing runs and nothing waits. */
  get unused(): boolean {
    return this.taken === 0 && this.waitingTasks === 0;
  }

  /**
   * Runs a task in its turn, at once when a place is free.
   *
   * @throws TurnRefused when too many wait, the signal's reason when it is aborted before the task has begun, and what
   *   the task throws.
   */
  async take<T>(request: TurnRequest, task: () => Promise<T>): Promise<T> {
    request.signal?.throwIfAborted();
    if (this.mayBegin(request.share)) this.begin(request.share);
    else await this.wait(request);
    try {
      return await task();
    } finally {
      this.end(request.share);
    }
  }

  private mayBegin(share: string): boolean {
    if (this.free === 0) return false;
    if (this.runningOf(share) < Math.ceil(this.limits.places / 2)) return true;
    const othersWait = this.waiting.size > (this.waiting.has(share) ? 1 : 0);
    return !othersWait && this.free > (this.limits.places < KEEPING_PLACES ? 0 : 1);
  }

  private begin(share: string): void {
    this.free -= 1;
    this.running.set(share, this.runningOf(share) + 1);
  }

  private end(share: string): void {
    const left = this.runningOf(share) - 1;
    if (left === 0) this.running.delete(share);
    else this.running.set(share, left);
    this.free += 1;
    this.serve();
  }

  private runningOf(share: string): number {
    return this.running.get(share) ?? 0;
  }

  /** Begins every waiting task that may begin. */
  private serve(): void {
    while (this.serveNext());
  }

  private serveNext(): boolean {
    for (const [share, waiting] of this.waiting) {
      const next = this.mayBegin(share) ? waiting.next() : undefined;
      if (next === undefined) continue;
      this.waiting.delete(share);
      if (waiting.size > 0) this.waiting.set(share, waiting);
      this.waitingTasks -= 1;
      this.begin(share);
      next.begin();
      return true;
    }
    return false;
  }

  private wait({ share, line = '', signal }: TurnRequest): Promise<void> {
    this.makeRoom(share);
    return new Promise((resolve, reject) => {
      const forget = (): void => signal?.removeEventListener('abort', abort);
      const waiter: Waiter = {
        begin: () => {
          forget();
          resolve();
        },
        refuse: (error) => {
          forget();
          reject(error);
        },
      };
      const abort = (): void => {
        this.leave(share, (waiting) => waiting.remove(line, waiter));
        waiter.refuse(signal?.reason as Error);
      };
      const waiting = this.waiting.get(share) ?? new WaitingShare();
      this.waiting.set(share, waiting);
      waiting.add(line, waiter);
      this.waitingTasks += 1;
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  private leave<T>(share: string, change: (waiting: WaitingShare) => T): T | undefined {
    const waiting = this.waiting.get(share);
    if (waiting === undefined) return undefined;
    const left = change(waiting);
    this.waitingTasks -= 1;
    if (waiting.size === 0) this.waiting.delete(share);
    this.serve();
    return left;
  }

  /** @throws TurnRefused when the calling share itself has too many. */
  private makeRoom(share: string): void {
    const { maxWaitingOfShare = Infinity, maxWaiting = Infinity } = this.limits;
    const own = this.waiting.get(share)?.size ?? 0;
    if (own >= maxWaitingOfShare) throw new TurnRefused('too many of one share wait');
    if (this.waitingTasks < maxWaiting) return;
    const [longest] = [...this.waiting].sort(([, one], [, other]) => other.size - one.size);
    if (longest === undefined || longest[1].size <= own + 1)
      throw new TurnRefused('too many wait in all');
    this.leave(longest[0], (waiting) => waiting.dropLast())?.refuse(
      new TurnRefused('too many wait in all'),
    );
  }
}
