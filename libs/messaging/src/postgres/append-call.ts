import { LogUnavailable, type NewMessage, type Position } from '../message-log';

/** One `append` in progress: its messages may go with several flushes. */
export class AppendCall {
  readonly positions: Promise<readonly Position[]>;
  isSettled = false;
  private resolve!: (positions: readonly Position[]) => void;
  private reject!: (error: unknown) => void;
  private readonly placed: Position[];
  private missing: number;
  private readonly timer: NodeJS.Timeout;

  /** @param onTimeout called once when the time is over before all is placed. */
  constructor(count: number, timeoutMs: number, onTimeout: () => void) {
    this.placed = new Array<Position>(count);
    this.missing = count;
    this.positions = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => {
      this.fail(new LogUnavailable(`not appended within ${timeoutMs} ms`));
      onTimeout();
    }, timeoutMs);
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

/** A message on its way, and the call that waits for it. */
export interface Pending {
  readonly partitionId: number;
  readonly partition: number;
  readonly message: NewMessage;
  readonly bytes: number;
  readonly call: AppendCall;
  /** Its place in the call. */
  readonly index: number;
}
