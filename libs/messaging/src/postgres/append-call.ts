import { LogUnavailable, type NewMessage, type Position } from '../message-log';
import type { UnlessMoved } from '../topic-moved';

/** An `append` in progress; its messages may be written by several flushes. */
export class AppendCall {
  readonly positions: Promise<readonly Position[]>;
  isSettled = false;
  private resolve!: (positions: readonly Position[]) => void;
  private reject!: (error: unknown) => void;
  private readonly placed: Position[];
  private missing: number;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param untilMs deadline by `performance.now()`.
   * @param onTimeout called once when the time is over before all messages are stored.
   * @param unlessMoved the condition, until it has been checked.
   */
  constructor(
    count: number,
    untilMs: number,
    onTimeout: () => void,
    public unlessMoved?: UnlessMoved,
  ) {
    this.placed = new Array<Position>(count);
    this.missing = count;
    this.positions = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const onTime = () => {
      this.fail(new LogUnavailable('the log did not take an append in time'));
      onTimeout();
    };
    this.timer = setTimeout(onTime, Math.max(0, Math.ceil(untilMs - performance.now())));
  }

  place(index: number, position: Position): void {
    this.placed[index] = position;
    this.missing -= 1;
    if (this.missing > 0 || this.isSettled) return;
    this.settle();
    this.resolve(this.placed);
  }

  fail(error: unknown): void {
    if (this.isSettled) return;
    this.settle();
    this.reject(error);
  }

  private settle(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
  }
}

/** A message that waits to be written, with its call. */
export interface Pending {
  readonly partitionId: number;
  readonly partition: number;
  readonly message: NewMessage;
  readonly bytes: number;
  readonly call: AppendCall;
  /** Index among the messages of the call. */
  readonly index: number;
}
