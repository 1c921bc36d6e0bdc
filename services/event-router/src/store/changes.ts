import type { ConnectionId, JobId, PipelineId, REPLAY_DELIVERY_COUNTS } from '@penstock/contracts';
import type { DestinationId, LaneId } from './lane-id';

/** The states in which a delivery ends. */
export type EndState = 'Delivered' | 'Filtered' | 'Rejected' | 'Parked' | 'Duplicate';

/** The step of the pipeline at which a delivery ended; `Finalize` is the request to the destination. */
type Step =
  | 'Receive'
  | 'InputValidation'
  | 'Filter'
  | 'Transformation'
  | 'OutputValidation'
  | 'Finalize';

/** How a delivery ended. `code` is the reason, from a short list; empty when the state needs none. */
export interface Ending {
  readonly state: EndState;
  readonly step: Step;
  readonly code: string;
  /** A text for operators, without secrets; empty when there is none. */
  readonly reason: string;
}

/** Partition and offset of an event. */
export interface BodyKey {
  readonly partition: number;
  readonly offset: number;
}

/** Identifies one delivery within a partition: an event by its offset, and a pipeline. */
export interface DeliveryKey {
  readonly offset: number;
  readonly pipeline: PipelineId;
}

/** A matched delivery that has not ended; after a restart its event is read from the log again. */
export interface OpenDelivery extends DeliveryKey {
  /** The version of the pipeline that it was routed by. */
  readonly version: number;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Milliseconds since 1970 of the next attempt; 0: at once. */
  readonly dueMs: number;
}

/** A delivery with its event's body in the store: it waits, or it is a dead letter. */
export interface StoredDelivery extends DeliveryKey {
  readonly version: number;
  readonly lane: DestinationId;
  readonly orderKey: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly state: 'Waiting' | 'Rejected' | 'Parked';
  readonly step: Step | null;
  readonly code: string;
  readonly reason: string;
  /** The value of the log record. */
  readonly body: string;
}

/** A stored delivery whose latest attempt has failed. */
export interface Postponed extends DeliveryKey {
  readonly attempts: number;
  readonly dueMs: number;
  readonly reason: string;
}

/** A stored delivery that has ended: its row is kept as a dead letter or, after another ending, removed. */
export interface Settled extends DeliveryKey {
  readonly ending: Ending;
}

/** How a delivery had ended before a redrive. */
export type EarlierEnding = Pick<Ending, 'state' | 'step' | 'code'>;

/** A dead letter that a redrive has ended anew. Its earlier ending is taken back, and the row treated as settled. */
export interface Redriven extends DeliveryKey {
  readonly job: JobId;
  /** The version of the pipeline that was used. */
  readonly version: number;
  /** Attempts of this redrive. */
  readonly attempts: number;
  /** How it had ended, and ends now; `null`: it was erased meanwhile, so that the redrive ends it without an ending. */
  readonly endings: { readonly before: EarlierEnding; readonly now: Ending } | null;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** A dead letter that a redrive has tried in vain, and tries again. */
export interface RedriveTried extends Postponed {
  readonly job: JobId;
}

/** A delivery of a replay that has not ended. Its event is read from the log again when it is not in memory. */
export interface OpenReplayed {
  readonly offset: number;
  readonly orderKey: string;
  readonly attempts: number;
  /** Milliseconds since 1970 of the next attempt; 0: at once. */
  readonly dueMs: number;
}

/** A delivery of a replay that was rejected or parked. */
export interface ReplayFailure {
  readonly offset: number;
  readonly ending: Ending;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly messageId: string;
  readonly source: string;
  readonly receivedMs: number;
  readonly userId: string | null;
  readonly previousId: string | null;
}

/** Steps before the request at which a replay counts what it has rejected, beside `rejected`. */
export const REJECTING_STEPS = ['InputValidation', 'Transformation', 'OutputValidation'] as const;

/** What a replay counts in a partition; `open` is the number of its open deliveries. */
export type ReplayCount =
  | Exclude<(typeof REPLAY_DELIVERY_COUNTS)[number], 'open'>
  | (typeof REJECTING_STEPS)[number];

/** What a replay that delivers has done in a partition since the commit before. */
export interface ReplayStep {
  readonly job: JobId;
  /** The next offset of its window that it has to read. */
  readonly position: number;
  readonly opened: readonly OpenReplayed[];
  /** Deliveries of earlier commits that were tried in vain. */
  readonly tried: readonly Pick<OpenReplayed, 'offset' | 'attempts' | 'dueMs'>[];
  /** Offsets of deliveries of earlier commits that have ended. */
  readonly ended: readonly number[];
  readonly failures: readonly ReplayFailure[];
  readonly counts: ReadonlyMap<ReplayCount, number>;
}

/**
 * The progress of a detached lane, or key of a lane, in a partition. Attached lanes and keys have no cursor.
 */
export interface Cursor {
  readonly lane: LaneId;
  /** One order key; empty: the whole lane. */
  readonly orderKey: string;
  /** The first offset that the lane or key has not been given. */
  readonly position: number;
  /**
   * Number of deliveries, by pipeline, that were counted as `Matched` and left to the detached key; they are opened
   * when the key is given their events. Empty for a lane.
   */
  readonly owed: ReadonlyMap<PipelineId, number>;
}

/** A routed event that is delivered to nobody; detached lanes use this to skip it too. */
export interface Repeat {
  readonly offset: number;
  /** Whether a duplicate has another body than the first event; `null`: the event's user was suppressed. */
  readonly differs: boolean | null;
}

/** Identifies a record of the log: another log has another record at the offset. */
export interface RecordMark {
  readonly offset: number;
  readonly timestampMs: number;
  /** CRC-32 of its value, unsigned. */
  readonly crc: number;
}

/**
 * Pipelines for which events are counted together. Events that a pipeline's filter did not match are counted by
 * subtraction, so that the cost of counting does not depend on the number of pipelines.
 */
export interface Audience {
  /** A UUID computed from the members: equal audiences have equal ids. */
  readonly id: string;
  readonly enabled: readonly PipelineId[];
  readonly disabled: readonly PipelineId[];
}

/** How an event was classified when it was routed, for all pipelines of an audience. */
export type BaseKind = 'New' | 'Duplicate' | 'DifferentBody' | 'Suppressed';

/** How long deliveries of a pipeline have taken, and how often they were retried, within a minute. */
export interface DeliveryTimes {
  /** Attempts beyond the first, of all deliveries that have ended. */
  readonly retries: number;
  /** Bucket of the latency, from receipt to delivery, → number of delivered ones. */
  readonly latencies: ReadonlyMap<number, number>;
}

/** A log record that this version cannot read as an event. */
export interface UnreadableRecord {
  readonly offset: number;
  readonly orderKey: string;
  readonly value: string;
  readonly reason: string;
}

/** A message id that was not seen within the duplicate window. */
export interface FirstMessage {
  /** Body digest. */
  readonly digest: string;
  /** Of its event; `null`: the entry only serves routers of the version before, which know the id by another hash. */
  readonly offset: number | null;
}

/** An event whose message id was seen before, within the duplicate window. */
export interface DuplicateRecord {
  readonly offset: number;
  /** Hash of the message id, as the first event's. */
  readonly hash: string;
  /** Whether it has another body than the first event. */
  readonly differs: boolean;
  /** When it was appended to the log, in milliseconds since 1970. */
  readonly atMs: number;
}

/** A request with a delivery that has failed; kept as long as outcomes. */
export interface AttemptRecord extends DeliveryKey {
  readonly version: number;
  /** Its number among the attempts of the delivery, from 1. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The HTTP status of the answer; 0: there was none. */
  readonly status: number;
  /** With an excerpt of the answer, without secrets; at most {@link MAX_EXCERPT} UTF-16 units. */
  readonly reason: string;
  /** When the delivery is due again, in milliseconds since 1970; 0: it has ended. */
  readonly dueMs: number;
}

/** Longest reason of a recorded attempt, in UTF-16 units. */
export const MAX_EXCERPT = 300;

/** The outcome of one delivery, kept as long as the events. */
export interface OutcomeRecord extends DeliveryKey {
  readonly version: number;
  readonly state: EndState;
  readonly code: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The HTTP status of the last attempt; 0: there was none, or no answer. */
  readonly status: number;
  /**
   * What a function has made of the event: the digest of its values, or the step at which it was rejected. Empty: that is not
   * known, or there is no function; what a mapping makes can be computed again.
   */
  readonly made: string;
}

/** The changes of one partition, which are committed in one transaction. */
export interface PartitionChanges {
  readonly partition: number;
  readonly epoch: number;
  /** One more than the previous commit's; a commit is applied once for its sequence. */
  readonly sequence: number;
  /** The next offset that attached lanes have not been given. */
  readonly routed: number;
  /** The mark of the last routed record; `null`: unchanged. */
  readonly mark: RecordMark | null;
  /** Open deliveries that were opened or tried since the previous commit. */
  readonly open: readonly OpenDelivery[];
  /** Deliveries that were open at the previous commit and are not any more. */
  readonly closed: readonly DeliveryKey[];
  /** All open deliveries after this commit, when a snapshot is due; replaces the earlier change log. */
  readonly snapshot: readonly OpenDelivery[] | null;
  /** Cursors that are new or have changed. */
  readonly cursors: readonly Cursor[];
  readonly droppedCursors: readonly Pick<Cursor, 'lane' | 'orderKey'>[];
  readonly repeats: readonly Repeat[];
  /** Repeats below this offset are not needed any more. */
  readonly repeatsFrom: number;
  /** {@link countKey} → count. */
  readonly counts: ReadonlyMap<string, number>;
  /** {@link baseKey} → count. */
  readonly bases: ReadonlyMap<string, number>;
  /** {@link sourceKey} → number of events; each event is counted once, whatever lanes it is given to. */
  readonly sources: ReadonlyMap<string, number>;
  /** {@link timesKey} → times. */
  readonly times: ReadonlyMap<string, DeliveryTimes>;
  /** The audiences that `bases` refer to, all of them: the store writes those that it does not have. */
  readonly audiences: readonly Audience[];
  /** By message hash (32 hexadecimal digits). */
  readonly messages: ReadonlyMap<string, FirstMessage>;
  readonly duplicates: readonly DuplicateRecord[];
  readonly stored: readonly StoredDelivery[];
  readonly postponed: readonly Postponed[];
  readonly settled: readonly Settled[];
  readonly redriven: readonly Redriven[];
  readonly redriveTried: readonly RedriveTried[];
  /** Cancelled redrives and replays that this owner of the partition works on no more. */
  readonly redrivesStopped: readonly JobId[];
  /** Of replays that deliver: at most one of each. */
  readonly replayed: readonly ReplayStep[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly outcomes: readonly OutcomeRecord[];
  readonly attempts: readonly AttemptRecord[];
}

const minuteOf = (epochMs: number): string => String(Math.floor(epochMs / 60_000));

/** `Matched`: a delivery was opened, or left to a detached key; one ending follows each. */
export type Counted = Pick<Ending, 'step' | 'code'> & { readonly state: EndState | 'Matched' };

/** `pipeline|state|step|code|minute` (minutes since 1970). */
export const countKey = (pipeline: PipelineId, counted: Counted, nowMs: number): string =>
  [pipeline, counted.state, counted.step, counted.code, minuteOf(nowMs)].join('|');

/** `audience|kind|minute`. */
export const baseKey = (audience: string, kind: BaseKind, nowMs: number): string =>
  [audience, kind, minuteOf(nowMs)].join('|');

/** The counts of a commit, with the earlier endings of redriven deliveries taken back. */
export const countsOf = ({
  counts,
  redriven,
}: Pick<PartitionChanges, 'counts' | 'redriven'>): ReadonlyMap<string, number> => {
  if (redriven.length === 0) return counts;
  const all = new Map(counts);
  for (const { pipeline, endings, atMs } of redriven) {
    if (endings === null) continue;
    const key = countKey(pipeline, endings.before, atMs);
    all.set(key, (all.get(key) ?? 0) - 1);
  }
  return all;
};

/** `source|kind|minute`. */
export const sourceKey = (source: ConnectionId, kind: BaseKind, nowMs: number): string =>
  [source, kind, minuteOf(nowMs)].join('|');

/** `pipeline|minute`. */
export const timesKey = (pipeline: PipelineId, nowMs: number): string =>
  [pipeline, minuteOf(nowMs)].join('|');

/** Whether a delivery with this ending is kept as a dead letter, with its body. */
export const isKept = ({ state, code }: Pick<Ending, 'state' | 'code'>): boolean =>
  state === 'Rejected' || (state === 'Parked' && code !== 'Deleted' && code !== 'Expired');
