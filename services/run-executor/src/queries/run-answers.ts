import { type Request, Refusal, type RunView } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { isDatabaseAway, SlowRequests, unavailable } from '@penstock/platform';
import { Injectable } from '@nestjs/common';
import { RunStore } from '../store/run-store';

/** `places` is the number of the process's database connections that questions may use. */
const LIMITS = { places: 2, maxWaitingOfShare: 32, maxWaiting: 256 };

/** How far this process has taken runs over into the store. */
export abstract class TakenOver {
  /** Resolves when every run is in the store that was requested up to the position of the configuration. */
  abstract upTo(position: number): Promise<void>;
}

/** Lets workspaces take turns at reading runs, each from a store that knows what the asking process has seen. */
@Injectable()
export class RunAnswers {
  private readonly turns = new SlowRequests(LIMITS);

  constructor(
    private readonly store: RunStore,
    private readonly takenOver: TakenOver,
  ) {}

  /** @throws Refusal ServiceUnavailable when no turn comes in time, or the database is unavailable. */
  take<T>(
    request: Request<{ readonly seen: number }>,
    context: LogRequestContext,
    read: (store: RunStore) => Promise<T>,
  ): Promise<T> {
    return this.turns.handle(request, context, async () => {
      try {
        await this.takenOver.upTo(request.in.seen);
        return await read(this.store);
      } catch (error) {
        throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
      }
    });
  }

  /** @throws Refusal RunNotExist */
  async existing(
    store: RunStore,
    { context, in: { id } }: Request<{ readonly id: string }>,
  ): Promise<RunView> {
    const found = await store.find(context.workspace, id);
    if (found === undefined) throw new Refusal('RunNotExist');
    return found;
  }

  /** Refuses what waits. */
  close(): void {
    this.turns.close();
  }
}
