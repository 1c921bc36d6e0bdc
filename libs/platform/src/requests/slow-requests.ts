import {
  isSlow,
  type OperationName,
  OPERATIONS,
  type Request,
  slowLimitMs,
} from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { FairTurns, TurnRefused } from '@penstock/turns';
import { unavailable } from './unavailable';

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
const SLOW_REQUEST_LIMITS: SlowRequestLimits = {
  places: 32,
  maxWaitingOfShare: 32,
  maxWaiting: 128,
};

/**
 * Which operation it is, until when somebody waits for the answer (milliseconds since 1970, absent: for as long as the operation may take), and
 * a signal that fires when nobody does any more.
 */
type Circumstances = Pick<LogRequestContext, 'pattern' | 'deadlineMs' | 'signal'>;

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
   * Handles a request: in its turn where the operation is slow with this input, else at once. One whose time has passed
   * is not begun. Commands and queries of one workspace have turns in alternation.
   *
   * @param work is given a signal that fires when nobody waits for the answer any more.
   * @throws Refusal ServiceUnavailable when too many wait, or no turn came in time; and what the work throws.
   */
  async handle<T>(
    { context, in: input }: Request<object>,
    { pattern, deadlineMs, signal: unwanted }: Circumstances,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const name = pattern as OperationName;
    if (!isSlow(name, input)) return work(new AbortController().signal);
    const share = context.workspace === '' ? context.organization : context.workspace;
    return this.inTurn(
      { share, line: OPERATIONS[name].kind },
      { deadlineMs, unwanted, limitMs: slowLimitMs(name) },
      work,
    );
  }

  private async inTurn<T>(
    turn: { readonly share: string; readonly line: string },
    {
      deadlineMs,
      unwanted,
      limitMs,
    }: { deadlineMs: number | undefined; unwanted: AbortSignal; limitMs: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const leftMs = Math.min((deadlineMs ?? Infinity) - Date.now(), limitMs);
    if (leftMs <= 0) throw unavailable('nobody waits for the answer any more');
    const controller = new AbortController();
    const { signal } = controller;
    const withdraw = (): void => {
      controller.abort(unavailable('nobody waits for the answer any more'));
    };
    if (unwanted.aborted) withdraw();
    else unwanted.addEventListener('abort', withdraw, { once: true });
    const timer = setTimeout(() => {
      controller.abort(unavailable('it was not done in time'));
    }, leftMs);
    this.waiting.add(controller);
    try {
      return await this.turns.take({ ...turn, signal }, () => {
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
      unwanted.removeEventListener('abort', withdraw);
      this.waiting.delete(controller);
    }
  }

  /** Refuses what waits. What is under way goes on. */
  close(): void {
    for (const controller of this.waiting) controller.abort(unavailable('the service is closing'));
  }
}
