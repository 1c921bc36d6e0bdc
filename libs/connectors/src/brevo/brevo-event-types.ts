import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, objectOf, TEXT } from '../event-types/event-schema';

export const BREVO_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'create_event',
    name: 'Create event',
    description: 'Creates an event of a contact.',
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(
      {
        name: 'event_name',
        type: TEXT,
        prefilled: 'event',
        createRequired: true,
        description: 'Letters, digits, _ and -.',
      },
      {
        name: 'identifiers',
        type: objectOf(
          { name: 'email_id', type: TEXT, prefilled: 'traits.email' },
          { name: 'phone_id', type: TEXT },
          { name: 'ext_id', type: TEXT, prefilled: 'userId' },
        ),
        description: 'Whose it is: one of the members at least.',
      },
      {
        name: 'event_properties',
        type: ANY_JSON,
        prefilled: 'properties',
        description: 'Properties of the event: an object.',
      },
      {
        name: 'contact_properties',
        type: ANY_JSON,
        description: 'Attributes of the contact: an object.',
      },
    ),
  },
];
