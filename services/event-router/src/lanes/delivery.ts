import type { JobId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { RecordFailure } from '@penstock/transformations';
import type { OpenEntry } from '../progress/open-deliveries';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { DeliveryKey, EarlierEnding, Ending } from '../store/changes';
import type { AttemptTrail } from './attempt-trail';
import type { HeldEvent } from './held-event';

/**
 * - raw: it has not been passed to its function
 * - queued: its function has been called and has not returned
 * - made: it is ready to be sent
 */
type Stage = 'raw' | 'queued' | 'made';

interface InMemory {
  readonly held: HeldEvent;
  readonly pipeline: CompiledPipeline;
  /** The key within which its lane delivers in order. */
  readonly orderKey: string;
  attempts: number;
  /** The result of the function; undefined before it has run. */
  values: RecordValue | RecordFailure | null | undefined;
  /** Bytes of the memory budget that the values take. */
  valuesBytes: number;
  stage: Stage;
  /** It has ended, was spilled, or has been left to be read from the log again: this object is no longer used. */
  isDone: boolean;
  /** Why the last attempt failed; and the HTTP status of the last attempt; 0: no answer. */
  reason: string;
  status: number;
  /** Successes of its lane when the destination answered it with 401 or 403; undefined: that has not happened. */
  deniedAfter: number | undefined;
  /** Its failed attempts; undefined: this process has made none. */
  trail: AttemptTrail | undefined;
}

/** A delivery from the log: after a restart its event is read from there again. */
export interface LiveDelivery extends InMemory {
  readonly kind: 'live';
  readonly entry: OpenEntry;
}

/** The redrive of a dead letter, which had ended before. */
export interface OfRedrive {
  readonly job: JobId;
  readonly before: EarlierEnding;
}

/** Where a replay records what becomes of its deliveries, apart from the live ones. */
export interface ReplayBook {
  /** The delivery has failed. @param dueMs of the next attempt, in milliseconds since 1970. */
  tried(offset: number, attempts: number, dueMs: number): void;
  ended(delivery: RowDelivery, ending: Ending, atMs: number): void;
  /** It cannot be sent, since its event has left the log or cannot be read any more. */
  lost(offset: number, why: 'expired' | 'unreadable'): void;
}

/** A delivery of a replay. */
export interface OfReplay {
  readonly job: JobId;
  readonly book: ReplayBook;
}

/** A delivery that was loaded from a stored row, or for a replay from the log. */
export interface RowDelivery extends InMemory {
  readonly kind: 'row';
  /** `null`: the row waits, and has not ended before. */
  readonly redrive: OfRedrive | null;
  /** `null`: it is of no replay. */
  readonly replay: OfReplay | null;
  /** The previous row of its key; `null`: it is the first. */
  readonly before: DeliveryKey | null;
}

/** One event on its way to one destination through one pipeline version. */
export type Delivery = LiveDelivery | RowDelivery;

/** The replay that the delivery is of; `null`: none. */
export const replayOf = (delivery: Delivery): OfReplay | null =>
  delivery.kind === 'row' ? delivery.replay : null;

/** Bytes of the budget that a delivery takes beside its event. */
export const DELIVERY_BYTES = 200;

export const keyOf = ({ held, pipeline }: Delivery): DeliveryKey => ({
  offset: held.read.offset,
  pipeline: pipeline.state.id,
});

type New = Pick<InMemory, 'held' | 'pipeline' | 'orderKey' | 'attempts'>;

const inMemory = ({ held, pipeline, orderKey, attempts }: New): InMemory => ({
  held,
  pipeline,
  orderKey,
  attempts,
  values: undefined,
  valuesBytes: 0,
  stage: pipeline.function === null ? 'made' : 'raw',
  isDone: false,
  reason: '',
  status: 0,
  deniedAfter: undefined,
  trail: undefined,
});

export const liveDelivery = (members: New, entry: OpenEntry): LiveDelivery => ({
  kind: 'live',
  entry,
  ...inMemory(members),
});

export const rowDelivery = (
  members: New & Pick<InMemory, 'reason'>,
  before: DeliveryKey | null,
  { redrive, replay }: Pick<RowDelivery, 'redrive' | 'replay'>,
): RowDelivery => ({
  kind: 'row',
  redrive,
  replay,
  before,
  ...inMemory(members),
  reason: members.reason,
});
