import { LogUnavailable } from '../message-log';
import { TopicMoved } from '../topic-moved';
import { within } from '../within';
import type { AppendCall, Entry } from './append-call';
import { EndLookup } from './end-lookup';
import type { Topics } from './topics';

export interface ConditionsOptions {
  readonly topics: Pick<Topics, 'partitionsOf'>;
  /** Looks up the end of a topic of one partition. */
  readonly endOf: (topic: string, timeoutMs: number) => Promise<number>;
  /** Time for which a result is reused for later calls. */
  readonly sharedForMs: number;
  /** Time after which a look-up has failed. */
  readonly lookUpTimeoutMs: number;
  /** Minimal time between two look-ups at present. */
  readonly gapMs: () => number;
}

/** Checks whether topics that appends depend on have moved. */
export class Conditions {
  private readonly lookups = new Map<string, EndLookup>();

  constructor(private readonly options: ConditionsOptions) {}

  /**
   * Resolves when the condition of each call in the batch has been checked; calls whose condition does not hold have
   * failed. A call is checked once: its other batches are sent without a check.
   */
  async admit(batch: readonly Entry[]): Promise<void> {
    const byTopic = new Map<string, Set<AppendCall>>();
    for (const { call } of batch) {
      if (!call.unlessMoved) continue;
      const { topic } = call.unlessMoved;
      const calls = byTopic.get(topic);
      if (calls) calls.add(call);
      else byTopic.set(topic, new Set([call]));
    }
    if (byTopic.size === 0) return;
    await Promise.all([...byTopic].map(([topic, calls]) => this.decide(topic, calls)));
  }

  private async decide(topic: string, calls: Iterable<AppendCall>): Promise<void> {
    try {
      const lookup = this.lookups.get(topic) ?? (await this.open(topic));
      const end = await lookup.present();
      for (const call of calls) {
        const { unlessMoved } = call;
        if (unlessMoved && end > unlessMoved.end) call.fail(new TopicMoved(topic, end));
        else call.unlessMoved = undefined;
      }
    } catch (error) {
      const cause = error instanceof Error ? error : new LogUnavailable(String(error));
      for (const call of calls) if (call.unlessMoved) call.fail(cause);
    }
  }

  private async open(topic: string): Promise<EndLookup> {
    const { topics, endOf, sharedForMs, lookUpTimeoutMs: timeoutMs, gapMs } = this.options;
    const partitions = await within(timeoutMs, 'Kafka', topics.partitionsOf(topic));
    if (partitions !== 1) throw new Error(`topic ${topic} has ${partitions} partitions, not one`);
    const lookUp = (limitMs: number): Promise<number> => endOf(topic, limitMs);
    const options = { sharedForMs, timeoutMs, gapMs, lookUp };
    const lookup = this.lookups.get(topic) ?? new EndLookup(options);
    this.lookups.set(topic, lookup);
    return lookup;
  }
}
