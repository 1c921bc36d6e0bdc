import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './adopt';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { isRunning } from './process-identity';

const CHECK_MS = 1_000;

/** Before the server is started again, by how often it has ended. */
const PAUSES_MS = [0, 2_000];

/** What ended longer ago than this does not count any more. */
const RECENT_MS = 600_000;

/** Processes of a server that was killed go on until their statements end: the next server waits for them. */
const LEFT_PROCESSES_MS = 300_000;

const isWaiting = (error: unknown): boolean =>
  error instanceof EmbeddedPostgresError && error.code === 'FolderInUse';

export interface SupervisorOptions {
  /** Starts the server again, on the same port. */
  readonly launch: (port: number) => Promise<RunningServer>;
  /** Receives messages for the operator. */
  readonly notice: (text: string) => void;
  /** Called at most once: the server is not started again. */
  readonly onLost: (error: EmbeddedPostgresError) => void;
}

/**
 * Starts a server again when it ends by itself, as it does when the system kills it for its memory. The third time within
 * ten minutes it is given up.
 */
export class Supervisor {
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;
  /** Times at which the server has ended, or could not be started. */
  private ends: number[] = [];

  constructor(
    private server: RunningServer,
    private readonly options: SupervisorOptions,
  ) {
    this.watching = this.watch();
  }

  get current(): RunningServer {
    return this.server;
  }

  /** Ends the watching, not the server. A start that is under way is awaited. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (await this.pause(CHECK_MS))
      if (!(await isRunning(this.server.identity)) && !(await this.revive())) return;
  }

  /** @returns whether the server runs again, or need not. */
  private async revive(): Promise<boolean> {
    const { notice, onLost } = this.options;
    let fault: unknown = `process ${String(this.server.identity.pid)} has ended`;
    for (;;) {
      const nowMs = performance.now();
      this.ends = [...this.ends.filter((endedMs) => endedMs > nowMs - RECENT_MS), nowMs];
      const pauseMs = PAUSES_MS[this.ends.length - 1];
      const why = fault instanceof Error ? fault.message : String(fault);
      if (pauseMs === undefined) {
        const times = `${String(this.ends.length)} times within ten minutes`;
        const message = `the embedded PostgreSQL has ended ${times}: ${why}; look at postgres.log in the data folder, and at the memory of this machine`;
        onLost(new EmbeddedPostgresError('StartFailed', message));
        return false;
      }
      notice(`the embedded PostgreSQL is started again: ${why}`);
      try {
        if (await this.pause(pauseMs)) this.server = await this.launch();
        return true;
      } catch (error) {
        fault = error;
      }
    }
  }

  private async launch(): Promise<RunningServer> {
    for (const untilMs = performance.now() + LEFT_PROCESSES_MS; ;)
      try {
        return await this.options.launch(this.server.port);
      } catch (error) {
        if (!isWaiting(error) || performance.now() > untilMs || !(await this.pause(CHECK_MS)))
          throw error;
      }
  }

  /** @returns whether the watching goes on. */
  private async pause(ms: number): Promise<boolean> {
    const { signal } = this.stopping;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }
}
