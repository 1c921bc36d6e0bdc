import type { OutgoingEvent } from '../connector/event-destination';
import { valuesText } from '../requests/values-text';

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
