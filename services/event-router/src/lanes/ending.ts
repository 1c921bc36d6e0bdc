import type { Ending } from '../store/changes';
import type { Delivery } from './delivery';

export const DELIVERED: Ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' };

/** Longest reason that is kept, in UTF-16 units. */
const MAX_REASON = 1_000;

/** The delivery has ended: counted, its row written or removed, its event held no longer by it. */
export const end = (delivery: Delivery, ending: Ending, nowMs: number): void => {
  const { partition, offset, pipeline, ticket } = delivery;
  delivery.isDone = true;
  if (partition.isLost) return;
  const { id, version, connection } = pipeline.state;
  partition.count(id, ending, nowMs);
  if (ticket === null) {
    partition.settle({ offset, pipeline: id, ending });
    return;
  }
  if (ending.state === 'Rejected' || ending.state === 'Parked')
    partition.store({
      offset,
      pipeline: id,
      version,
      lane: connection,
      orderKey: delivery.orderKey,
      attempts: delivery.attempts,
      firstAttemptMs: delivery.firstAttemptMs,
      dueMs: nowMs,
      state: ending.state,
      step: ending.step,
      code: ending.code,
      reason: ending.reason.slice(0, MAX_REASON),
      body: delivery.body,
    });
  ticket.release();
};

/** The delivery goes on waiting, in the store instead of in memory. */
export const spill = (delivery: Delivery, dueMs: number): void => {
  const { partition, ticket, pipeline } = delivery;
  delivery.isDone = true;
  if (partition.isLost || ticket === null) return;
  partition.store({
    offset: delivery.offset,
    pipeline: pipeline.state.id,
    version: pipeline.state.version,
    lane: pipeline.state.connection,
    orderKey: delivery.orderKey,
    attempts: delivery.attempts,
    firstAttemptMs: delivery.firstAttemptMs,
    dueMs,
    state: 'Waiting',
    step: null,
    code: '',
    reason: delivery.reason.slice(0, MAX_REASON),
    body: delivery.body,
  });
  ticket.release();
};
