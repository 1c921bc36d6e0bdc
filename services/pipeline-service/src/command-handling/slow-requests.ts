import type { Request } from '@penstock/contracts';
import { FairTurns, TurnRefused } from '@penstock/transformations';
import { unavailable } from './unavailable';

/** Nobody waits for an answer longer than this. Source: the gateway's time for what is slow. */
const LONGEST_WAIT_MS = 30_000;

/** How many slow requests a process takes, at a time and in all. */
export interface SlowRequestLimits {
  /** Under way at a time. */
  readonly places: number;
  /** Waiting, of one workspace. */
  readonly maxWaitingOfShare: number;
  /** Waiting in all. */
  readonly maxWaiting: number;
}

/** Most of them wait for somebody else's server, or for a turn in the sandbox. */
export const SLOW_REQUEST_LIMITS: SlowRequestLimits = {
  places: 32,
  maxWaitingOfShare: 32,
  maxWaiting: 128,
};

/** A request, and what is known of whoever waits for its answer. */
export interface SlowRequest {
  readonly request: Pick<Request<unknown>, 'context'>;
  /** Milliseconds since 1970 after which nobody waits; absent: 30 s from now. */
  readonly deadlineMs: number | undefined;
  /** Commands and questions of one workspace are served in turn. */
  readonly line: 'commands' | 'questions';
}

/**
 * Shares what takes long out fairly: workspaces take turns, none has more than half of the places while another waits,
 * and each may have so many waiting. What concerns no workspace is shared by organization.
 */
export class SlowRequests {
  private readonly turns: FairTurns;
  private readonly waiting = new Set<AbortController>();

  constructor(limits: SlowRequestLimits = SLOW_REQUEST_LIMITS) {
    this.turns = new FairTurns(limits);
  }

  /**
   * Handles a request in its turn. One whose time has passed is not begun.
   *
   * @param work is given a signal that fires when nobody waits for the answer any more.
   * @throws Refusal ServiceUnavailable when too many wait, or no turn came in time; and what the work throws.
   */
  async handle<T>(
    { request: { context }, deadlineMs, line }: SlowRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const leftMs = Math.min((deadlineMs ?? Infinity) - Date.now(), LONGEST_WAIT_MS);
    if (leftMs <= 0) throw unavailable('nobody waits for the answer any more');
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      controller.abort(unavailable('it was not done in time'));
    }, leftMs);
    this.waiting.add(controller);
    const share = context.workspace === '' ? context.organization : context.workspace;
    try {
      return await this.turns.take({ share, line, signal }, () => {
        this.waiting.delete(controller);
        signal.throwIfAborted();
        return work(signal);
      });
    } catch (error) {
      throw error instanceof TurnRefused
        ? unavailable('too many requests of this kind are under way')
        : error;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(controller);
    }
  }

  /** Refuses what waits. What is under way goes on. */
  close(): void {
    for (const controller of this.waiting) controller.abort(unavailable('the service is closing'));
  }
}
