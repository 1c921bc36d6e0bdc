import type { JsonSchema } from '../schema/json-schema';
import { EXAMPLE_ID } from './answer';

export const EXAMPLE_WRITE_KEY = 'q8Zt2vX0bR5nM7yKc1LwE4sJ9hUd3FaG';

/** Components for texts of a certain form. */
export const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Id: {
    type: 'string',
    description: 'Opaque, sortable by time.',
    pattern: '^[A-Za-z0-9_-]{12,26}$',
    examples: [EXAMPLE_ID],
  },
  EventWriteKey: {
    type: 'string',
    pattern: '^[0-9A-Za-z]{32}$',
    examples: [EXAMPLE_WRITE_KEY],
  },
};
