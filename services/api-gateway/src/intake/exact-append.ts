import { Refusal, TOPIC } from '@penstock/contracts';
import { type MessageLog, type NewMessage, TopicMoved } from '@penstock/messaging';
import { KeyErased } from '@penstock/runtime';
import { Invalid } from '@penstock/schema';
import { unavailable } from '../http/http-refusal';
import type { CurrentReplica, Stamp } from '../replica/current-replica';
import type { IntakeLimits } from './intake-limits';
import type { Judge, Judged } from './judge';
import type { Received } from './received';

export interface ExactAppendDependencies {
  readonly log: MessageLog;
  readonly current: CurrentReplica;
  readonly judge: Judge;
  readonly limits: Pick<IntakeLimits, 'appendTimeoutMs'>;
}

/** Attempts of one request while the configuration keeps changing. */
const MAX_ATTEMPTS = 8;
/** Memory of a message besides its texts. Estimated. */
const MESSAGE_BYTES = 200;

/**
 * Appends the events of requests, each stamped with the configuration position that they were decided by, on the
 * condition that the log holds no newer one; otherwise decides again. So every event that is sent after the answer to a
 * change is subject to it, through any gateway, also one whose reader of the configuration hangs.
 *
 * The same holds for requests that append nothing: refused ones, and those with events of suppressed users only.
 */
export class ExactAppend {
  constructor(private readonly dependencies: ExactAppendDependencies) {}

  /**
   * Decides a request and appends its events; resolves once they are durable.
   *
   * @throws Refusal, HttpRefusal, MalformedBody, Invalid, LogUnavailable, LogOverloaded
   */
  async append(received: Received): Promise<Judged> {
    const { current, limits } = this.dependencies;
    // The time-out of the append starts after the events were made, which takes a while for 20,000 events.
    let untilMs: number | undefined;
    let judged: Judged | undefined;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const stamp = current.stamp();
      const outcome = this.outcomeOf(received, judged);
      untilMs ??= performance.now() + limits.appendTimeoutMs;
      if (outcome instanceof Error) {
        if (await current.confirms(stamp, untilMs - performance.now())) throw outcome;
        continue;
      }
      judged = outcome;
      if (await this.isAppended(outcome.taken.messages, stamp, untilMs)) return outcome;
    }
    throw unavailable('the configuration changes too often');
  }

  /** @returns an error that depends on the configuration, so that another attempt may succeed; throws any other. */
  private outcomeOf(received: Received, before: Judged | undefined): Judged | Error {
    try {
      const judged = this.dependencies.judge.judge(received, before);
      received.holding.add(bytesOf(judged) - (before === undefined ? 0 : bytesOf(before)));
      return judged;
    } catch (error) {
      if (isOfConfiguration(error)) return error;
      throw error;
    }
  }

  /** @returns false when the configuration has changed: nothing was appended, and the replica is up to date again. */
  private async isAppended(
    messages: readonly NewMessage[],
    stamp: Stamp,
    untilMs: number,
  ): Promise<boolean> {
    const { log, current } = this.dependencies;
    const timeoutMs = untilMs - performance.now();
    if (messages.length === 0) return current.confirms(stamp, timeoutMs);
    if (timeoutMs <= 0) throw unavailable('the configuration cannot be read');
    const unlessMoved = { topic: TOPIC.configurationState, end: stamp.end };
    try {
      await log.append(TOPIC.events, messages, { timeoutMs, unlessMoved });
      return true;
    } catch (error) {
      if (!(error instanceof TopicMoved)) throw error;
      await current.reach(error.end, untilMs - performance.now());
      return false;
    }
  }
}

/** Whether the error depends on the configuration, not on the request alone. */
const isOfConfiguration = (error: unknown): error is Error =>
  error instanceof Refusal || error instanceof KeyErased || error instanceof Invalid;

const bytesOf = ({ taken: { messages } }: Judged): number =>
  messages.reduce(
    (sum, { key, value }) => sum + MESSAGE_BYTES + key.length + (value?.length ?? 0),
    0,
  );
