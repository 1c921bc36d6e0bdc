import { REFUSED_CODES, type RefusedCount, type RefusedEventView } from '@penstock/contracts';
import {
  arrayOf,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_TIME, page, withExample } from './answer';

const CODE = oneOf(REFUSED_CODES);

type Member = Exclude<keyof RefusedEventView, 'sealed'> | 'excerpt' | 'isMasked';

const REFUSED = withExample(
  object<Member>({
    id: described({ type: 'string', pattern: '^[0-9A-Za-z_-]{1,40}$' }, 'Opaque.'),
    at: TIME,
    index: orNull(described(INTEGER, 'Its index in the request, from 0; null: not known.')),
    messageId: orNull(described(TEXT, 'Null: it has none, or none that is valid.')),
    code: CODE,
    path: described(TEXT, 'JSON pointer within the event, empty for the event itself.'),
    reason: TEXT,
    excerpt: orNull(
      described(
        TEXT,
        'The first 2,048 bytes of its JSON text; null: there are none, or they were erased.',
      ),
    ),
    isCut: described(FLAG, 'Whether the excerpt is shorter than the event.'),
    isMasked: described(FLAG, 'Whether every value is replaced by `••••`.'),
    count: described(
      INTEGER,
      '1; more: so many events with this code were not recorded one by one.',
    ),
  }),
  {
    id: '01K8ZJ3YQ4T6M2XW',
    at: EXAMPLE_TIME,
    index: 3,
    messageId: 'c6d4a1f0-8a0e-4a3b-9d3f-0b8f5c2f7a11',
    code: 'InvalidEvent',
    path: '/event',
    reason: 'is required for track',
    excerpt: '{"type":"track","userId":"user-1"}',
    isCut: false,
    isMasked: false,
    count: 1,
  },
);

/** Components for refused events. */
export const REFUSED_EVENTS: Readonly<Record<string, JsonSchema>> = {
  RefusedEvent: REFUSED,
  RefusedEventList: page('events', 'RefusedEvent', REFUSED),
  RefusedEventCounts: withExample(
    object({ counts: arrayOf(object<keyof RefusedCount>({ code: CODE, count: INTEGER })) }),
    { counts: [{ code: 'InvalidEvent', count: 7 }] },
  ),
};
