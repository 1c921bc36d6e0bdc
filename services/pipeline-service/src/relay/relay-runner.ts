import { setTimeout as pause } from 'node:timers/promises';
import { type EventStore, FACTS_CHANNEL } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { publishAfter, publishedPosition } from './relay';

/** Any number that nothing else in the database locks. */
const RELAY_LOCK = 7_300_102;
/** How long another replica that holds the lock is left alone. */
const LOCK_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS = 500;
const LOOK_MS = 50;
/** A notification can be lost with its connection only, yet looking now and then costs nothing. */
const IDLE_MS = 1_000;

/** Runs the relay in one process at a time: the one that holds the lock of its own database session. */
export class RelayRunner {
  private stopping = false;
  private running: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly databaseUrl: string,
    private readonly store: EventStore<EntityManager>,
    private readonly log: MessageLog,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when everything up to the position is on the log, whichever process has put it there. */
  async caughtUpWith(position: number): Promise<void> {
    while ((await publishedPosition(this.log)) < position) await pause(LOOK_MS);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.session();
      } catch (error) {
        this.onError(error);
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** One database session: the lock is lost with it, and so is the right to publish. */
  private async session(): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl, keepAlive: true });
    let broken: Error | undefined;
    client.on('error', (error) => {
      broken = error;
      this.wake();
    });
    client.on('notification', () => {
      this.wake();
    });
    try {
      await client.connect();
      while (!this.stopping && !(await this.lock(client))) await this.sleep(LOCK_PAUSE_MS);
      await client.query(`LISTEN ${FACTS_CHANNEL}`);
      let position = this.stopping ? 0 : await publishedPosition(this.log);
      while (!this.stopping) {
        if (broken !== undefined) throw broken;
        position = await publishAfter(this.store, this.log, position);
        await this.sleepUnlessBehind(position);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async sleepUnlessBehind(position: number): Promise<void> {
    const woken = this.sleep(IDLE_MS);
    if ((await this.store.position()) > position) this.wake();
    await woken;
  }

  private async lock(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS locked',
      [RELAY_LOCK],
    );
    return rows[0]?.locked ?? false;
  }

  private async sleep(ms: number): Promise<void> {
    const alarm = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.wake = () => {
        alarm.abort();
        resolve();
      };
    });
    await Promise.race([
      woken,
      pause(ms, undefined, { signal: alarm.signal }).catch(() => undefined),
    ]);
  }
}
