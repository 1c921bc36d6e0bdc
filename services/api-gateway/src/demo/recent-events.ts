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

/** Records of outcomes that are kept for a later call when events cannot be read. */
const MAX_WAITING = 1_000;

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

/**
 * Reads where the ended deliveries of a record stand; none where this version does not read it, as that of a newer one.
 */
const endingsOf = ({ value }: LogRecord): readonly (readonly [string, EndedDeliveries])[] => {
  try {
    const { partition, outcomes } = readOutcomes(value ?? '');
    return outcomes.flatMap((ended) =>
      ended.offsets.map((offset) => [placeOf(partition, offset), ended] as const),
    );
  } catch {
    return [];
  }
};

/** The newest accepted events of some sources, with the recorded outcomes of their deliveries. */
export class RecentEvents {
  private readonly events: TopicTail;
  private readonly outcomes: TopicTail;
  /** The newest records of outcomes whose events could not be read. */
  private waiting: readonly LogRecord[] = [];
  private recent = new Map<string, RecentEvent>();

  constructor(
    log: Pick<MessageLog, 'endOffsets' | 'read'>,
    private readonly isWanted: (source: string) => boolean,
  ) {
    this.events = new TopicTail(log, TOPIC.events);
    this.outcomes = new TopicTail(log, TOPIC.outcomes);
  }

  /**
   * Reads on and returns the newest events of the sources that are wanted now, newest first. Outcomes are read before
   * events, so that an outcome's event is in the log when events are read. Calls must not overlap.
   *
   * @throws LogUnavailable
   */
  async read(): Promise<readonly RecentEvent[]> {
    const outcomes = [...this.waiting, ...(await this.outcomes.read())];
    this.waiting = outcomes.slice(-MAX_WAITING);
    const records = await this.events.read();
    this.waiting = [];
    this.keep(records.flatMap((record) => recentEvent(record) ?? []));
    for (const [place, ended] of outcomes.flatMap(endingsOf))
      this.recent.get(place)?.outcomes.set(ended.pipeline, ended);
    return [...this.recent.values()];
  }

  private keep(found: readonly RecentEvent[]): void {
    const newest = [...found, ...this.recent.values()]
      .filter(({ accepted }) => this.isWanted(accepted.source))
      .sort((one, other) => other.record.timestampMs - one.record.timestampMs || after(one, other))
      .slice(0, MAX_EVENTS);
    this.recent = new Map(
      newest.map((each) => [placeOf(each.record.partition, each.record.offset), each]),
    );
  }
}

/** Orders events of one millisecond: the later one of a partition first. */
const after = ({ record: one }: RecentEvent, { record: other }: RecentEvent): number =>
  other.partition - one.partition || other.offset - one.offset;
