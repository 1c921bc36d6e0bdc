import type { Clock } from './clock';

/** Pause before it begins again. */
const PAUSE_MS = 1_000;

/** Work that goes on until it is stopped, or ends by itself. */
export interface Running {
  stop(): Promise<void>;
  /** Never rejects; resolves with the cause when the work has ended by itself, else when stopped. */
  readonly ended: Promise<unknown>;
}

export interface RestartedContext {
  readonly clock: Clock;
  readonly begin: () => Promise<Running>;
  /** Called when the work cannot begin, or has ended by itself; it begins again in a second. */
  readonly onFault: (cause: unknown) => void;
}

/** Keeps work running: begins it, and again when it cannot begin or has ended by itself. */
export class Restarted {
  private running: Running | undefined;
  private beginning: Promise<void> | undefined;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(private readonly context: RestartedContext) {}

  start(): void {
    this.beginning = this.begin().catch((error: unknown) => {
      this.again(error);
    });
  }

  /** Resolves when the work has stopped; it does not begin any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.beginning;
    await this.running?.stop();
  }

  private async begin(): Promise<void> {
    const running = await this.context.begin();
    this.running = running;
    void running.ended.then((cause) => {
      this.again(cause);
    });
    if (this.isStopped) await running.stop();
  }

  private again(cause: unknown): void {
    if (this.isStopped) return;
    this.context.onFault(cause);
    this.cancel = this.context.clock.after(PAUSE_MS, () => {
      this.start();
    });
  }
}
