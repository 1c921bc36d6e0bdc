import { JsonText, parseJson, parseSchema } from '@penstock/schema';
import type { EventType, OutgoingEvent } from '../event-destination';

const PROPERTIES_SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        {
          name: 'properties',
          type: { kind: 'json' },
          createRequired: true,
          description: 'Body of the request: any JSON.',
        },
      ],
    }),
  ),
);

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
    schema: PROPERTIES_SCHEMA,
  },
];

/** JSON text of one event's part of the body: nothing is parsed, so every digit stays. */
export const httpBody = ({ eventType, eventText, values }: OutgoingEvent): string => {
  if (eventType === 'send_event') return eventText;
  const properties = values?.['properties'];
  if (eventType === 'send_values' && properties instanceof JsonText) return properties.text;
  throw new TypeError(`no body for an event of type ${eventType}`);
};
