import { setTimeout as pause } from 'node:timers/promises';
import type { ConfigurationState, WorkspaceId } from '@penstock/contracts';
import { type EventStore, FACTS_CHANNEL, type StoredFact } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import type { EntityManager } from 'typeorm';
import { dataKeysOf } from '../data-keys/data-key-messages';
import { type Chore, Chores } from './chores';
import { BATCH, publish, publishedPosition, publishStates } from './relay';
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
  /** Called with an error whose work will be tried again. */
  readonly onError: (error: unknown) => void;
  /** Called when facts have been published. */
  readonly onSuccess?: () => void;
  /** How long a deleted object stays in the compacted topic: longer than events are kept. */
  readonly deletedKeptMs: number;
  /** How often what is published beside facts is looked at; default an hour. */
  readonly choresPeriodMs?: number;
  /** How often it looks for facts that nothing has woken it for; default a second. */
  readonly idleMs?: number;
}

/** Those that the facts are about themselves. */
const workspacesIn = (facts: readonly StoredFact[]): WorkspaceId[] =>
  facts.flatMap(({ state }) => {
    const known = state as ConfigurationState;
    return known.kind === 'workspace' ? [known.id] : [];
  });

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
      this.sleeper.wake();
      await lock.release();
    }
  }

  private async publishOn(lock: RelayLock, from: number): Promise<void> {
    const { store, log, idleMs = IDLE_MS, deletedKeptMs, choresPeriodMs } = this.dependencies;
    const chores = new Chores(store.db, { periodMs: choresPeriodMs, deletedKeptMs });
    let isIdle = false;
    let wasChore = false;
    await chores.begin(from);
    for (let position = from; ; this.position = position) {
      // From here on a new fact ends the sleep, also while the look that misses it is under way.
      const woken = this.sleeper.sleep(idleMs);
      const isLast = this.stopping;
      const facts = await store.factsAfter(position, BATCH);
      const newest = facts.at(-1);
      const isTurnOfFacts: boolean = wasChore && newest !== undefined;
      const chore: Chore | undefined =
        isLast || isTurnOfFacts ? undefined : await chores.next(position);
      wasChore = chore !== undefined;
      if (newest === undefined && chore === undefined) {
        if (isLast) return;
        if (isIdle) await lock.check();
        isIdle = true;
        await woken;
        continue;
      }
      isIdle = false;
      this.sleeper.wake();
      const dataKeys = await dataKeysOf(store.db, workspacesIn(facts));
      await lock.check();
      try {
        // Either of them: a lock that is lost is noticed within the time of two appends.
        if (chore !== undefined) {
          await publishStates(log, chore.messages, () => lock.check());
          await chore.done();
        } else if (newest !== undefined) {
          await publish(log, facts, dataKeys);
          position = newest.position;
          this.dependencies.onSuccess?.();
        }
      } catch (error) {
        if (this.stopping) throw error;
        this.dependencies.onError(error);
        await this.sleeper.sleep(RETRY_PAUSE_MS);
      }
    }
  }
}
