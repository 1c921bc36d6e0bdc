import type { NewMessage } from '@penstock/messaging';
import type { EntityManager } from 'typeorm';
import { allDataKeyMessages } from '../data-keys/data-key-messages';
import { Forgetting } from './forgetting';

/**
 * Kafka begins a new segment, which lets the one before be compacted, only when something is appended: without this an
 * erased key would stay on the log of an installation that nobody changes.
 */
const PERIOD_MS = 3_600_000;

/** Records that are published from time to time beside those of facts. */
export interface Chore {
  readonly messages: readonly NewMessage[];
  /** Called when they are on the log. */
  readonly done: () => Promise<void>;
}

export interface ChoresOptions {
  /** How often each is due; default an hour. */
  readonly periodMs?: number | undefined;
  /** How long a deleted object stays in the compacted topic: longer than events are kept. */
  readonly deletedKeptMs: number;
}

/**
 * Decides what the relay publishes beside facts: all data keys again, since what an earlier relay had under way must
 * not stay so, and the deletion of what nobody needs any more. Both are due when a relay begins.
 */
export class Chores {
  private readonly forgetting: Forgetting;
  private readonly periodMs: number;
  private keysDueMs = performance.now();
  private forgettingDueMs = performance.now();

  constructor(
    private readonly db: EntityManager,
    { periodMs = PERIOD_MS, deletedKeptMs }: ChoresOptions,
  ) {
    this.periodMs = periodMs;
    this.forgetting = new Forgetting(db, deletedKeptMs);
  }

  /** @param published the position up to which facts are on this log: a new one holds again what was forgotten. */
  async begin(published: number): Promise<void> {
    await this.forgetting.restartAt(published);
  }

  /**
   * @param published the position up to which facts are on the log.
   * @returns undefined when none is due. A chore that is not reported as done is due again.
   */
  async next(published: number): Promise<Chore | undefined> {
    const nowMs = performance.now();
    if (nowMs >= this.keysDueMs) return this.dataKeys(nowMs);
    return nowMs >= this.forgettingDueMs ? this.forgotten(nowMs, published) : undefined;
  }

  private async dataKeys(nowMs: number): Promise<Chore> {
    const done = (): Promise<void> => {
      this.keysDueMs = nowMs + this.periodMs;
      return Promise.resolve();
    };
    return { messages: await allDataKeyMessages(this.db), done };
  }

  private async forgotten(nowMs: number, published: number): Promise<Chore> {
    const { messages, upTo, isFull } = await this.forgetting.next(published);
    const done = async (): Promise<void> => {
      await this.forgetting.done(upTo);
      this.forgettingDueMs = isFull ? nowMs : nowMs + this.periodMs;
    };
    return { messages, done };
  }
}
