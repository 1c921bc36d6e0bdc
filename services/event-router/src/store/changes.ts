import type { ConnectionId, PipelineId } from '@penstock/contracts';

/** The states in which a delivery ends. */
export type EndState = 'Delivered' | 'Filtered' | 'Rejected' | 'Parked' | 'Duplicate';

/** The step of the pipeline at which a delivery ended; Finalize is the sending itself. */
type Step =
  'Receive' | 'InputValidation' | 'Filter' | 'Transformation' | 'OutputValidation' | 'Finalize';

/** How a delivery ended. `code` says why, from a short list; empty when the state says it all. */
export interface Ending {
  readonly state: EndState;
  readonly step: Step;
  readonly code: string;
  /** For people; holds no secret. Empty where nothing is kept. */
  readonly reason: string;
}

/** Names one delivery within a partition: one event on its way through one pipeline. */
export interface DeliveryKey {
  readonly offset: number;
  readonly pipeline: PipelineId;
}

/** A delivery that was matched and has not ended; its event is read from the log again after a restart. */
export interface OpenDelivery extends DeliveryKey {
  /** Of the pipeline, by which it was routed. */
  readonly version: number;
  /** Attempts that were made, 0 before the first. */
  readonly attempts: number;
  /** Milliseconds since 1970 before which it is not tried again; 0: at once. */
  readonly dueMs: number;
}

/** A delivery with its body in the store: one that waits, or one that ended badly. */
export interface StoredDelivery extends DeliveryKey {
  readonly version: number;
  readonly lane: ConnectionId;
  readonly orderKey: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly state: 'Waiting' | 'Rejected' | 'Parked';
  readonly step: Step | null;
  readonly code: string;
  readonly reason: string;
  /** The message's value as it stands in the log. */
  readonly body: string;
}

/** A stored delivery that was tried again without success. */
export interface Postponed extends DeliveryKey {
  readonly attempts: number;
  readonly dueMs: number;
  readonly reason: string;
}

/** A stored delivery that has ended: its row keeps a bad ending, and is removed with any other. */
export interface Settled extends DeliveryKey {
  readonly ending: Ending;
}

/**
 * From where a lane, or one key of it, has still to be given the events of a partition. What is attached to the live
 * reader has no cursor.
 */
export interface Cursor {
  readonly lane: ConnectionId;
  /** One order key; empty: the whole lane. */
  readonly orderKey: string;
  /** The first offset that was not given. */
  readonly position: number;
  /**
   * How many deliveries of each pipeline the key has still to be given: they were counted as `Matched` when their events
   * were left to the key, and are not open before it is given them. Empty for a lane.
   */
  readonly owed: ReadonlyMap<PipelineId, number>;
}

/** An event below `routed` that goes to nobody; lanes that are given it later ask for this. */
export interface Repeat {
  readonly offset: number;
  /** A duplicate, with another body or not; `null`: the event is of a user who was suppressed. */
  readonly differs: boolean | null;
}

/** By what a record of the log is known again: another log has another record at the offset. */
export interface RecordMark {
  readonly offset: number;
  readonly timestampMs: number;
  /** CRC-32 of its value, unsigned. */
  readonly crc: number;
}

/**
 * Pipelines for which events are counted together. Those that an event did not go to are counted by subtraction, so
 * that counting costs the same however many there are.
 */
export interface Audience {
  /** A UUID made of the members: equal audiences have equal ids. */
  readonly id: string;
  readonly enabled: readonly PipelineId[];
  readonly disabled: readonly PipelineId[];
}

/** What an event was when it was routed, for all pipelines of an audience alike. */
export type BaseKind = 'New' | 'Duplicate' | 'DifferentBody' | 'Suppressed';

/** A record that is no event which this version can read, as it stands in the log. */
export interface UnreadableRecord {
  readonly offset: number;
  readonly orderKey: string;
  readonly value: string;
  readonly reason: string;
}

/** How one delivery ended, on record for as long as the events are. */
export interface OutcomeRecord extends DeliveryKey {
  readonly version: number;
  readonly state: EndState;
  readonly code: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The HTTP status with which the application refused it, the last time; 0: none, or it was delivered. */
  readonly status: number;
}

/** What one partition has to commit: all of it in one transaction, or none. */
export interface PartitionChanges {
  readonly partition: number;
  readonly epoch: number;
  /** One more than that of the commit before; a commit is applied once under its sequence. */
  readonly sequence: number;
  /** The next offset that attached lanes have not been given. */
  readonly routed: number;
  /** Of the last routed record; `null`: as it was. */
  readonly mark: RecordMark | null;
  /** Deliveries that were opened or tried since the commit before, and are open. */
  readonly open: readonly OpenDelivery[];
  /** Deliveries that were open at the commit before and are so no longer. */
  readonly closed: readonly DeliveryKey[];
  /** All that is open after this commit, when it is time to write it anew; replaces what was written before. */
  readonly snapshot: readonly OpenDelivery[] | null;
  /** New ones, and those that have moved. */
  readonly cursors: readonly Cursor[];
  readonly droppedCursors: readonly Pick<Cursor, 'lane' | 'orderKey'>[];
  readonly repeats: readonly Repeat[];
  /** Repeats below are of no use any more. */
  readonly repeatsFrom: number;
  /** {@link countKey} → how many. */
  readonly counts: ReadonlyMap<string, number>;
  /** {@link baseKey} → how many. */
  readonly bases: ReadonlyMap<string, number>;
  /** Those that `bases` name, unless this owner has committed them before. */
  readonly audiences: readonly Audience[];
  /** Message hash (32 hexadecimal digits) → body digest. */
  readonly messages: ReadonlyMap<string, string>;
  readonly stored: readonly StoredDelivery[];
  readonly postponed: readonly Postponed[];
  readonly settled: readonly Settled[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly outcomes: readonly OutcomeRecord[];
}

const minuteOf = (epochMs: number): string => String(Math.floor(epochMs / 60_000));

/** `Matched`: the delivery was opened; each is followed by one ending. */
export type Counted = Pick<Ending, 'step' | 'code'> & { readonly state: EndState | 'Matched' };

/** `pipeline|state|step|code|minute` (minutes since 1970). */
export const countKey = (pipeline: PipelineId, counted: Counted, nowMs: number): string =>
  [pipeline, counted.state, counted.step, counted.code, minuteOf(nowMs)].join('|');

/** `audience|kind|minute`. */
export const baseKey = (audience: string, kind: BaseKind, nowMs: number): string =>
  [audience, kind, minuteOf(nowMs)].join('|');

/** Whether a row with the body is kept of a delivery that ended so: somebody may repair and send it again. */
export const isKept = ({ state, code }: Pick<Ending, 'state' | 'code'>): boolean =>
  state === 'Rejected' || (state === 'Parked' && code !== 'Deleted' && code !== 'Expired');
