import {
  ANY_OBJECT,
  arrayOf,
  described,
  INTEGER,
  type JsonSchema,
  object,
  orNull,
  ref,
  TEXT,
} from '../schema/json-schema';
import { CURSOR, withExample } from './answer';
import { EVENT_EXAMPLE } from './event';
import { SCHEMA_EXAMPLE } from './notation';

/** Components for the application behind a connection. */
export const APPLICATIONS: Readonly<Record<string, JsonSchema>> = {
  EventTypeSchema: withExample(
    object({ schema: orNull(described(ref('Schema'), 'Null if the event type has no schema.')) }),
    { schema: SCHEMA_EXAMPLE },
  ),
  UserSchemas: withExample(
    object({
      schemas: object({
        source: ref('Schema'),
        destination: orNull(described(ref('Schema'), 'Null for a source.')),
      }),
    }),
    { schemas: { source: SCHEMA_EXAMPLE, destination: null } },
  ),
  UserList: withExample(object({ users: arrayOf(ANY_OBJECT), cursor: CURSOR }), {
    users: [{ email: 'ada@example.com', itemId: 42 }],
    cursor: '',
  }),
  Preview: withExample(
    object({
      preview: described(TEXT, 'Method, URL, headers, a blank line and the body; secrets masked.'),
      console: described(
        TEXT,
        'What the function wrote to its console: the first 32 KiB. Empty for a mapping.',
      ),
    }),
    {
      preview:
        'POST https://example.com/events\nContent-Type: application/json\n\n{"email":"ada@example.com"}',
      console: '',
    },
  ),
  KeptEvents: withExample(
    object({
      users: described(INTEGER, 'Users that were created or changed, and are kept.'),
      upserts: described(INTEGER, 'How often a user was created or changed.'),
      creates: INTEGER,
      updates: INTEGER,
      events: arrayOf({}),
    }),
    { users: 2, upserts: 3, creates: 1, updates: 2, events: [EVENT_EXAMPLE] },
  ),
};
