import { compileCodec, type RecordCodec, type Schema } from '@penstock/schema';
import type { OutgoingEvent } from '../connector/event-destination';

const codecs = new WeakMap<Schema, RecordCodec>();

/** JSON text of what the transformation gave; undefined without one. */
const valuesText = ({ values, outSchema }: OutgoingEvent): string | undefined => {
  if (values === null || outSchema === null) return undefined;
  const codec = codecs.get(outSchema) ?? compileCodec(outSchema);
  codecs.set(outSchema, codec);
  return codec.encode(values);
};

/** What the test application is sent of one event. */
export const dummyBody = (outgoing: OutgoingEvent): string => {
  const { eventType, event } = outgoing;
  const known = JSON.stringify({
    type: eventType,
    messageId: event['messageId'],
    anonymousId: event['anonymousId'],
    userId: event['userId'],
    timestamp: event['timestamp'],
  });
  const values = valuesText(outgoing);
  return values === undefined ? known : `${known.slice(0, -1)},"values":${values}}`;
};
