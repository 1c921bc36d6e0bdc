import { RouterFault } from '../faults/router-fault';
import { aborted } from '../time/aborted';
import type { LeasedReplay } from './replay-job';
import { RecentIds } from './recent-ids';
import { ReplayTurn, type TurnContext } from './replay-turn';

/** Interval at which a free worker looks for replays, and a working one renews its lease. */
const LOOK_MS = 1_000;
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
  private readonly stopping = new AbortController();
  private readonly recent = new Map<string, RecentIds>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly context: TurnContext,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the slice in progress was given up and its replay is free for another router. */
  async stop(): Promise<void> {
    this.stopping.abort(new LeaseEnded('the router stops'));
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isIdle = await this.serveNext(signal).catch((error: unknown) => {
        if (!(error instanceof LeaseEnded)) this.onError(new RouterFault(FAULT, {}, error));
        return true;
      });
      if (isIdle) await this.pause(signal);
    }
  }

  /** @returns whether there was nothing to do. */
  private async serveNext(signal: AbortSignal): Promise<boolean> {
    const replay = await this.context.leases.next();
    if (replay === undefined) return true;
    const lease = new AbortController();
    const stopRenewing = this.renewing(replay, lease);
    try {
      const turn = new ReplayTurn(this.context, replay, this.recentOf(replay));
      await turn.run(TURN_MS, AbortSignal.any([signal, lease.signal]));
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
      cancel = clock.after(LOOK_MS, renew);
    };
    let cancel = clock.after(LOOK_MS, renew);
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

  private async pause(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const cancel = this.context.clock.after(LOOK_MS, () => {
      ended.abort();
    });
    await aborted(AbortSignal.any([signal, ended.signal]));
    cancel();
  }
}
