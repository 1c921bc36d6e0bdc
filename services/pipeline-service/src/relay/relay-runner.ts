import { setTimeout as pause } from 'node:timers/promises';
import { type EventStore, FACTS_CHANNEL } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import type { EntityManager } from 'typeorm';
import { BATCH, publish, publishedPosition } from './relay';
import { RelayLock } from './relay-lock';
import { Sleeper } from './sleeper';

/** How long another replica that holds the lock is left alone. */
const LOCK_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS = 500;
const LOOK_MS = 50;
/** A notification can be lost with its connection only, yet looking now and then costs nothing. */
const IDLE_MS = 1_000;

export interface RelayDependencies {
  readonly databaseUrl: string;
  readonly store: EventStore<EntityManager>;
  readonly log: MessageLog;
  /** Told what went wrong and will be tried again. */
  readonly onError: (error: unknown) => void;
}

/** Publishes what is recorded, in one process at a time: the one that holds the lock. */
export class RelayRunner {
  private readonly sleeper = new Sleeper();
  private stopping = false;
  private running: Promise<void> = Promise.resolve();
  /** How far this process has published; undefined while it does not. */
  private position: number | undefined;

  constructor(private readonly dependencies: RelayDependencies) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when everything up to the position is on the log, whichever process has put it there. */
  async caughtUpWith(position: number): Promise<void> {
    while ((this.position ?? (await publishedPosition(this.dependencies.log))) < position)
      await pause(LOOK_MS);
  }

  /** What was recorded before is published first, unless another process does that or the log is away. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.sleeper.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.session();
      } catch (error) {
        this.dependencies.onError(error);
        await this.sleeper.sleep(RETRY_PAUSE_MS);
      } finally {
        this.position = undefined;
      }
    }
  }

  /** As long as the lock is held. */
  private async session(): Promise<void> {
    const lock = new RelayLock(this.dependencies.databaseUrl, FACTS_CHANNEL, this.sleeper);
    try {
      await lock.connect();
      while (!(await lock.take())) {
        await this.sleeper.sleep(LOCK_PAUSE_MS);
        if (this.stopping) return;
      }
      this.position = await publishedPosition(this.dependencies.log);
      await this.publishOn(lock, this.position);
    } finally {
      await lock.release();
    }
  }

  private async publishOn(lock: RelayLock, from: number): Promise<void> {
    for (let position = from; ; this.position = position) {
      const isLast = this.stopping;
      const facts = await this.dependencies.store.factsAfter(position, BATCH);
      const newest = facts.at(-1);
      if (newest === undefined) {
        if (isLast) return;
        await lock.check();
        await this.sleepUnlessBehind(position);
        continue;
      }
      await lock.check();
      try {
        await publish(this.dependencies.log, facts);
        position = newest.position;
      } catch (error) {
        if (this.stopping) throw error;
        this.dependencies.onError(error);
        await this.sleeper.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  /** A fact that was recorded since the last look has woken nobody. */
  private async sleepUnlessBehind(position: number): Promise<void> {
    const woken = this.sleeper.sleep(IDLE_MS);
    if (this.stopping || (await this.dependencies.store.position()) > position) this.sleeper.wake();
    await woken;
  }
}
