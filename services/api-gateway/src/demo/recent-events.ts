import {
  type AcceptedEvent,
  type EndedDeliveries,
  eventCodec,
  readAcceptedEvent,
  readOutcomes,
  TOPIC,
} from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import { isJsonObject, type JsonObject, parseJson, type RecordValue } from '@penstock/schema';
import { TopicTail } from './topic-tail';

const MAX_EVENTS = 50;

/** An event of the log, and how its deliveries ended. */
export interface RecentEvent {
  readonly record: LogRecord;
  readonly accepted: AcceptedEvent;
  readonly event: RecordValue;
  readonly json: JsonObject;
  /** By the id of the pipeline. */
  readonly outcomes: Map<string, EndedDeliveries>;
}

const placeOf = (partition: number, offset: number): string =>
  `${String(partition)}/${String(offset)}`;

/** Reads a record; undefined where it is no event that this version reads: the router lists those for operators. */
const recentEvent = (record: LogRecord): RecentEvent | undefined => {
  try {
    const accepted = readAcceptedEvent(record.value ?? '');
    const json = parseJson(accepted.eventText);
    if (!isJsonObject(json)) return undefined;
    const event = eventCodec.parse(accepted.eventText);
    return { record, accepted, event, json, outcomes: new Map() };
  } catch {
    return undefined;
  }
};

/** The newest accepted events of some sources, with the recorded outcomes of their deliveries. */
export class RecentEvents {
  private readonly events: TopicTail;
  private readonly outcomes: TopicTail;
  /** Records of outcomes whose events have not been read yet. */
  private waiting: LogRecord[] = [];
  private recent = new Map<string, RecentEvent>();

  constructor(
    log: Pick<MessageLog, 'endOffsets' | 'read'>,
    private readonly isWanted: (source: string) => boolean,
  ) {
    this.events = new TopicTail(log, TOPIC.events);
    this.outcomes = new TopicTail(log, TOPIC.outcomes);
  }

  /**
   * Reads on and returns the newest events, newest first. Outcomes are read before events, so that an outcome's event is
   * in the log when events are read. Calls must not overlap.
   *
   * @throws LogUnavailable
   */
  async read(): Promise<readonly RecentEvent[]> {
    this.waiting.push(...(await this.outcomes.read()));
    const records = await this.events.read();
    const found = records.flatMap((record) => recentEvent(record) ?? []);
    this.keep(found.filter(({ accepted }) => this.isWanted(accepted.source)));
    for (const { value } of this.waiting) this.end(value ?? '');
    this.waiting = [];
    return [...this.recent.values()];
  }

  private keep(found: readonly RecentEvent[]): void {
    const newest = [...found, ...this.recent.values()]
      .sort((one, other) => other.record.timestampMs - one.record.timestampMs || after(one, other))
      .slice(0, MAX_EVENTS);
    this.recent = new Map(
      newest.map((each) => [placeOf(each.record.partition, each.record.offset), each]),
    );
  }

  private end(value: string): void {
    const { partition, outcomes } = readOutcomes(value);
    for (const ended of outcomes)
      for (const offset of ended.offsets)
        this.recent.get(placeOf(partition, offset))?.outcomes.set(ended.pipeline, ended);
  }
}

/** Orders events of one millisecond: the later one of a partition first. */
const after = ({ record: one }: RecentEvent, { record: other }: RecentEvent): number =>
  other.partition - one.partition || other.offset - one.offset;
