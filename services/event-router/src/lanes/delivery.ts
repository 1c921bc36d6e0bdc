import type { RecordValue } from '@penstock/schema';
import type { RecordFailure } from '@penstock/transformations';
import type { OpenEntry } from '../progress/open-deliveries';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { DeliveryKey } from '../store/changes';
import type { HeldEvent } from './held-event';

/**
 * - raw: its function has not run
 * - queued: it is with its function
 * - made: it can be sent
 */
type Stage = 'raw' | 'queued' | 'made';

interface InMemory {
  readonly held: HeldEvent;
  readonly pipeline: CompiledPipeline;
  /** The key by which it keeps its order in its lane. */
  readonly orderKey: string;
  attempts: number;
  /** What the function gave; undefined before it ran. */
  values: RecordValue | RecordFailure | null | undefined;
  /** What the values cost of the memory budget. */
  valuesBytes: number;
  stage: Stage;
  /** It has ended, is in the store or asleep: nothing more is to be done for it here. */
  isDone: boolean;
  /** Why the last attempt did not succeed, and its HTTP status; 0: none. */
  reason: string;
  status: number;
  /** How often its lane had succeeded when it was refused for the lane's credentials; undefined: it was not. */
  deniedAfter: number | undefined;
}

/** A delivery whose event is read from the log again after a restart. */
export interface LiveDelivery extends InMemory {
  readonly kind: 'live';
  readonly entry: OpenEntry;
}

/** A delivery that was read from its row in the store. */
export interface RowDelivery extends InMemory {
  readonly kind: 'row';
  /** The row before it of its key; `null`: it is the first. */
  readonly before: DeliveryKey | null;
}

/** One event on its way to one destination through one pipeline version. */
export type Delivery = LiveDelivery | RowDelivery;

/** What a delivery costs of the budget beside its event. */
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
});

export const liveDelivery = (members: New, entry: OpenEntry): LiveDelivery => ({
  kind: 'live',
  entry,
  ...inMemory(members),
});

export const rowDelivery = (
  members: New & Pick<InMemory, 'reason'>,
  before: DeliveryKey | null,
): RowDelivery => ({
  kind: 'row',
  before,
  ...inMemory(members),
  reason: members.reason,
});
