import type { Request } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { isDatabaseAway, SlowRequests, unavailable } from '@penstock/platform';
import { DatabaseError } from 'pg';

/**
 * `places` is the number of the process's database connections that questions may use; the others are for commits. A
 * question that must wait too long is refused.
 */
const LIMITS = { places: 2, maxWaitingOfShare: 32, maxWaiting: 256 };

/** SQLSTATE of a statement that has exceeded its time limit. */
const CANCELED = '57014';

const asRefusal = (error: unknown): unknown => {
  if (error instanceof DatabaseError && error.code === CANCELED)
    return unavailable('the answer takes too long');
  return isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
};

/** Lets workspaces take turns at reading the store. */
export class StoreTurns {
  private readonly turns = new SlowRequests(LIMITS);

  /**
   * Reads in the turn of the request's workspace.
   *
   * @throws Refusal ServiceUnavailable when too many wait, no turn comes in time, or the database is unavailable.
   */
  take<T>(
    request: Request<object>,
    context: LogRequestContext,
    read: () => Promise<T>,
  ): Promise<T> {
    return this.turns.handle(request, context, async () => {
      try {
        return await read();
      } catch (error) {
        throw asRefusal(error);
      }
    });
  }

  /** Refuses what waits. */
  close(): void {
    this.turns.close();
  }
}
