import { LogUnavailable, type NewMessage, type Position } from '../message-log';
import type { UnlessMoved } from '../topic-moved';

/** A message of an append in progress. */
export interface Entry {
  readonly message: NewMessage;
  readonly bytes: number;
  readonly call: AppendCall;
  /** Index among the messages of the call. */
  readonly index: number;
}

/** One append. Settles once: when every message has its position, one has failed, or the time is over. */
export class AppendCall {
  /** Resolves with the positions in the order of the messages. */
  readonly outcome: Promise<readonly Position[]>;
  private readonly positions: Position[];
  private missing: number;
  private settled = false;
  private lastCause: unknown;
  private readonly timer: NodeJS.Timeout;
  private resolve!: (positions: readonly Position[]) => void;
  private reject!: (error: Error) => void;

  /** @param unlessMoved the condition, until it is known to hold: no message of the call is sent before. */
  constructor(
    size: number,
    timeoutMs: number,
    onTimeout: () => void,
    public unlessMoved?: UnlessMoved,
  ) {
    this.missing = size;
    this.positions = new Array<Position>(size);
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => {
      const text = `not acknowledged within ${timeoutMs} ms`;
      this.fail(new LogUnavailable(text, { cause: this.lastCause }));
      onTimeout();
    }, timeoutMs);
  }

  /** Whether the caller is still waiting. */
  get isOpen(): boolean {
    return !this.settled;
  }

  stored(index: number, position: Position): void {
    this.positions[index] = position;
    this.missing -= 1;
    if (this.missing > 0 || this.settled) return;
    this.settle();
    this.resolve(this.positions);
  }

  /** Notes the cause of a failed attempt, which is reported if the time ends before one succeeds. */
  retried(cause: unknown): void {
    this.lastCause = cause;
  }

  fail(error: Error): void {
    if (this.settled) return;
    this.settle();
    this.reject(error);
  }

  private settle(): void {
    this.settled = true;
    clearTimeout(this.timer);
  }
}
