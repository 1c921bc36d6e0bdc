import { constants } from 'node:os';
import type { Logger } from 'pino';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * A signal that comes this soon after the first is the same request to stop: a supervisor signals every process of the
 * group, and npm passes on what it was sent.
 */
const SAME_STOP_MS = 2_000;

const FAULTS = ['uncaughtException', 'unhandledRejection'] as const;

type EndingSignal = (typeof SIGNALS)[number];

/** How long an orderly stop may take, and how the process ends. */
export interface ShutdownOptions {
  readonly logger: Pick<Logger, 'info' | 'error' | 'fatal'>;
  /** For all closers together; what has not ended by then is cut off, with exit code 1. */
  readonly deadlineMs: number;
  /** Default: ends the process. */
  readonly exit?: (code: number) => void;
}

interface Closer {
  readonly name: string;
  readonly close: () => unknown;
}

/**
 * Ends the process in good order: what was opened last is closed first.
 *
 * Exit codes: 0 after a signal; 1 after a failed closer, a missed deadline, or an uncaught error;
 * 128 and the signal's number when a second signal, at least 2 s after the first, cuts the closing short.
 */
export class Shutdown {
  readonly #logger: ShutdownOptions['logger'];
  readonly #deadlineMs: number;
  readonly #exit: (code: number) => void;
  readonly #closers: Closer[] = [];
  #code = 0;
  #ending: Promise<void> | undefined;
  #signalledMs: number | undefined;

  constructor({ logger, deadlineMs, exit = (code) => process.exit(code) }: ShutdownOptions) {
    this.#logger = logger;
    this.#deadlineMs = deadlineMs;
    this.#exit = exit;
  }

  /**
   * Whether the process is being ended: it is not ready for further work, and what is still being started is pointless.
   */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Registers a closer: called once, after all that are registered later. */
  onClose(name: string, close: () => unknown): void {
    this.#closers.push({ name, close });
  }

  /**
   * Takes over the process's signals, and the uncaught errors.
   *
   * @returns a function that gives them back.
   */
  listen(source: NodeJS.EventEmitter = process): () => void {
    const onSignal = (signal: EndingSignal) => this.#signalled(signal);
    const onError = (err: unknown) => {
      this.#logger.fatal(
        { err },
        'an error that nobody caught, which is one of Penstock itself: the process ends with 1 and should be started again',
      );
      void this.end(1);
    };
    for (const signal of SIGNALS) source.on(signal, onSignal);
    for (const event of FAULTS) source.on(event, onError);
    return () => {
      for (const signal of SIGNALS) source.off(signal, onSignal);
      for (const event of FAULTS) source.off(event, onError);
    };
  }

  /** Runs the closers and exits: with 1 when closing failed, else with the largest code of all calls. */
  end(code: number): Promise<void> {
    this.#code = Math.max(this.#code, code);
    this.#ending ??= this.#closeAll().then((closed) => this.#exit(closed ? this.#code : 1));
    return this.#ending;
  }

  #signalled(signal: EndingSignal): void {
    const nowMs = performance.now();
    if (this.#signalledMs !== undefined) {
      if (nowMs < this.#signalledMs + SAME_STOP_MS) return;
      return this.#exit(128 + constants.signals[signal]);
    }
    this.#signalledMs = nowMs;
    // The launcher of `npm start` then sends no signal of its own.
    process.send?.('closing');
    this.#logger.info({ signal }, 'closing');
    void this.end(0);
  }

  async #closeAll(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, this.#deadlineMs, false);
    });
    const inTime = await Promise.race([this.#closeInTurn(), late]);
    clearTimeout(timer);
    return inTime;
  }

  async #closeInTurn(): Promise<boolean> {
    let closed = true;
    for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop())
      closed = (await this.#close(closer)) && closed;
    return closed;
  }

  async #close({ name, close }: Closer): Promise<boolean> {
    try {
      await close();
      return true;
    } catch (err) {
      this.#logger.error(
        { err, closer: name },
        'a part of the process could not be closed in good order: the process ends with 1',
      );
      return false;
    }
  }
}
