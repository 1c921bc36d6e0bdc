import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { newRecord, type RecordValue } from '@penstock/schema';
import type { OutgoingEvent, SendContext } from './connector/event-destination';
import type { GuardedHttp } from './connector/guarded-http';

export const aContext = (
  http: GuardedHttp,
  signal = new AbortController().signal,
  connection = 'connection-1',
): SendContext => ({ connection: connection as ConnectionId, http, signal });

export const aRecord = (members: Record<string, RecordValue[string]>): RecordValue =>
  Object.assign(newRecord(), members);

/** The n-th of a row of events that differ in their ids only. */
export const anOutgoingEvent = (
  n: number,
  changes: Partial<OutgoingEvent> & Pick<OutgoingEvent, 'eventType'>,
): OutgoingEvent => {
  const event = aRecord({
    connectionId: 'source-1',
    anonymousId: 'anonymous-1',
    messageId: `message-${String(n)}`,
    timestamp: '2026-03-01T09:30:00.000Z',
    type: 'track',
    event: 'Order Completed',
  });
  return {
    event,
    eventText: JSON.stringify(event),
    values: null,
    outSchema: null,
    idempotencyKey: `key-${String(n)}`.padEnd(32, '-'),
    pipeline: 'pipeline-1' as PipelineId,
    ...changes,
  };
};
