import { JsonText } from '@penstock/schema';
import type { EventType, OutgoingEvent } from '../connector/event-destination';
import { ANY_JSON, eventSchema } from '../event-types/event-schema';

export const HTTP_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'send_event',
    name: 'Send event',
    description: 'Sends the event as it was received.',
    defaultFilter: null,
    schema: null,
  },
  {
    id: 'send_values',
    name: 'Send values',
    description: 'Sends the JSON that the transformation gives.',
    defaultFilter: null,
    schema: eventSchema({
      name: 'properties',
      type: ANY_JSON,
      createRequired: true,
      description: 'Body of the request: any JSON.',
    }),
  },
];

/** JSON text of one event's part of the body: nothing is parsed, so every digit stays. */
export const httpBody = ({ eventType, eventText, values }: OutgoingEvent): string => {
  if (eventType === 'send_event') return eventText;
  const properties = values?.['properties'];
  if (eventType === 'send_values' && properties instanceof JsonText) return properties.text;
  throw new TypeError(`no body for an event of type ${eventType}`);
};
