import type { MemoryBudget } from '../progress/memory-budget';
import { madeByFunction } from '../outcomes/made-by-function';
import type { SteadyWall } from '../progress/steady-wall';
import { type Ending, isKept, type StoredDelivery } from '../store/changes';
import { type Delivery, DELIVERY_BYTES, type LiveDelivery } from './delivery';
import type { LiveSamples } from '../live/live-samples';
import type { KeyQueue } from './key-queue';
import { settleRow } from './settle-row';
import { destinationOf } from '../store/lane-id';

export const DELIVERED: Ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' };
/** Ending of an event whose user was suppressed after it was accepted. */
export const SUPPRESSED: Ending = {
  state: 'Filtered',
  step: 'Filter',
  code: 'Suppressed',
  reason: '',
};

/** Longest reason that is stored, in UTF-16 units. */
const MAX_REASON = 1_000;

/** Removes deliveries from memory, as ended or as spilled. A delivery that is done already is ignored. */
export class Endings {
  constructor(
    private readonly wall: SteadyWall,
    private readonly budget: MemoryBudget,
    private readonly live?: Pick<LiveSamples, 'ended'>,
  ) {}

  /**
   * Ends the delivery: counts it, records its outcome, and closes it or settles its row. One of a replay is recorded by the
   * replay only.
   */
  end(key: KeyQueue, delivery: Delivery, ending: Ending): void {
    if (delivery.isDone || key.partition.isGone) return;
    const nowMs = this.wall.nowMs();
    if (delivery.kind === 'row' && delivery.replay !== null) {
      delivery.replay.book.ended(delivery, ending, nowMs);
      key.endRow();
    } else this.endCounted(key, delivery, ending, nowMs);
    this.letGo(key, delivery);
  }

  private endCounted(key: KeyQueue, delivery: Delivery, ending: Ending, nowMs: number): void {
    const { partition } = key;
    const { pipeline, attempts, status } = delivery;
    const { offset, receivedAtMs, traceparent } = delivery.held.read;
    const { id, version } = pipeline.state;
    partition.count(id, ending, nowMs);
    delivery.trail?.end();
    const { state, code } = ending;
    const { eventType } = pipeline.state;
    const made =
      pipeline.function === null || eventType === null
        ? ''
        : madeByFunction(eventType, delivery.values, ending);
    const ended = { offset, pipeline: id, version, state, code, attempts, atMs: nowMs, status };
    const outcome = { ...ended, made };
    partition.gather((gathered) => {
      const redrive = delivery.kind === 'row' ? delivery.redrive : null;
      // A redriven delivery was counted when it ended before.
      const tookMs = state === 'Delivered' ? nowMs - receivedAtMs : undefined;
      if (redrive === null) gathered.time({ pipeline: id, attempts, atMs: nowMs, tookMs });
      gathered.outcomes.push(outcome);
      if (traceparent !== undefined) gathered.trace(traceparent);
      if (delivery.kind === 'row')
        settleRow(gathered, { offset, pipeline: id, version, attempts, redrive }, ending, nowMs);
    });
    this.live?.ended(partition.number, outcome, pipeline.state);
    if (delivery.kind === 'row') key.endRow();
    else {
      partition.open.close(delivery.entry);
      if (isKept(ending)) this.store(key, delivery, { ...ending, dueMs: nowMs });
    }
  }

  /** Moves the delivery from memory to the store, where it waits. */
  spill(key: KeyQueue, delivery: LiveDelivery): void {
    if (delivery.isDone || key.partition.isGone) return;
    const { reason, entry } = delivery;
    const dueMs = entry.dueMs || this.wall.nowMs();
    key.partition.open.close(entry);
    this.store(key, delivery, { state: 'Waiting', step: null, code: '', reason, dueMs });
    this.letGo(key, delivery);
  }

  /** Releases the memory of the delivery. */
  letGo(key: KeyQueue, delivery: Delivery): void {
    if (delivery.isDone) return;
    delivery.isDone = true;
    this.keepValues(delivery, 0);
    delivery.values = undefined;
    this.budget.release('deliveries', DELIVERY_BYTES);
    const { held } = delivery;
    if (delivery.kind === 'row') key.tally.rowBytes -= held.bytes;
    else {
      key.tally.length -= 1;
      key.tally.bytes -= held.bytes + DELIVERY_BYTES;
    }
    held.release();
  }

  /** Counts the memory of the delivery. */
  takeHold(key: KeyQueue, delivery: Delivery): void {
    const { held } = delivery;
    held.hold();
    this.budget.take('deliveries', DELIVERY_BYTES);
    if (delivery.kind === 'row') key.tally.rowBytes += held.bytes;
    else {
      key.tally.length += 1;
      key.tally.bytes += held.bytes + DELIVERY_BYTES;
    }
  }

  /** Counts the memory of the delivery's values. @param bytes new size; 0: they are dropped. */
  keepValues(delivery: Delivery, bytes: number): void {
    this.budget.take('values', bytes - delivery.valuesBytes);
    delivery.valuesBytes = bytes;
  }

  private store(
    key: KeyQueue,
    { held, pipeline, attempts, entry, orderKey }: LiveDelivery,
    state: Pick<StoredDelivery, 'state' | 'step' | 'code' | 'reason' | 'dueMs'> | RowState,
  ): void {
    held.hold();
    key.partition.storeRow({
      row: {
        offset: entry.offset,
        pipeline: pipeline.state.id,
        version: pipeline.state.version,
        lane: destinationOf(pipeline.state),
        orderKey,
        attempts,
        dueMs: state.dueMs,
        state: state.state as StoredDelivery['state'],
        step: state.step,
        code: state.code,
        reason: state.reason.slice(0, MAX_REASON),
        body: held.read.body,
      },
      release: () => {
        held.release();
      },
    });
  }
}

type RowState = Ending & { readonly dueMs: number };
