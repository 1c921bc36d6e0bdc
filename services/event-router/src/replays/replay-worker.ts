import { RouterFault } from '../faults/router-fault';
import type { LeasedReplay } from './replay-job';
import { RecentIds } from './recent-ids';
import { ReplayTurn, type TurnContext } from './replay-turn';

/** Interval at which a working worker renews its lease. */
const RENEW_MS = 1_000;
/** Time after which another replay has its turn. */
const TURN_MS = 10_000;
/** Replays whose latest ids are in memory: about 8 MB each. */
const MAX_REMEMBERED = 4;

const FAULT = 'a replay cannot go on now; trying again';

/** The replay was cancelled, or another router has it. */
class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
}

/** Works on the running replays of an installation, on one at a time, beside the workers of other routers. */
export class ReplayWorker {
  private readonly recent = new Map<string, RecentIds>();
  private running: Promise<void> | undefined;
  private isStopped = false;
  /** Of the replay in progress. */
  private lease: AbortController | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly context: TurnContext,
    private readonly onError: (error: unknown) => void,
    /** Milliseconds between looks for replays while there is none. */
    private readonly pollMs: number,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the slice in progress was given up and its replay is free for another router. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.lease?.abort(new LeaseEnded('the router stops'));
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const isIdle = await this.serveNext().catch((error: unknown) => {
        if (!(error instanceof LeaseEnded)) this.onError(new RouterFault(FAULT, {}, error));
        return true;
      });
      if (isIdle) await this.pause();
    }
  }

  /** @returns whether there was nothing to do. */
  private async serveNext(): Promise<boolean> {
    const replay = await this.context.leases.next();
    if (replay === undefined) return true;
    const lease = new AbortController();
    this.lease = lease;
    if (this.isStopped) lease.abort(new LeaseEnded('the router stops'));
    const stopRenewing = this.renewing(replay, lease);
    try {
      await new ReplayTurn(this.context, replay, this.recentOf(replay)).run(TURN_MS, lease.signal);
    } finally {
      stopRenewing();
      await this.context.leases.release(replay);
    }
    return false;
  }

  /** Renews the lease until the returned function is called; aborts the signal when the lease has ended. */
  private renewing(replay: LeasedReplay, lease: AbortController): () => void {
    const { clock, leases } = this.context;
    const renew = (): void => {
      leases.renew(replay).then(
        (isHeld) => {
          if (!isHeld) lease.abort(new LeaseEnded('the lease of the replay has ended'));
        },
        // A lapsed lease is noticed at the next checkpoint.
        () => undefined,
      );
      cancel = clock.after(RENEW_MS, renew);
    };
    let cancel = clock.after(RENEW_MS, renew);
    return () => {
      cancel();
    };
  }

  private recentOf({ id }: LeasedReplay): RecentIds {
    const known = this.recent.get(id) ?? new RecentIds(this.context);
    this.recent.delete(id);
    this.recent.set(id, known);
    for (const oldest of this.recent.keys()) {
      if (this.recent.size <= MAX_REMEMBERED) break;
      this.recent.delete(oldest);
    }
    return known;
  }

  private pause(): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.context.clock.after(this.pollMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
