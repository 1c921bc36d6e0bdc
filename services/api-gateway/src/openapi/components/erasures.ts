import type { ErasureCounts, ErasureView } from '@penstock/contracts';
import {
  described,
  INTEGER,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { withExample } from './answer';

const COUNTS = object<keyof ErasureCounts>({
  profiles: described(INTEGER, 'One, or none where there was none any more.'),
  identities: INTEGER,
  history: described(INTEGER, 'Entries of the history of the profile.'),
  events: described(INTEGER, 'Events in the warehouse.'),
  samples: described(INTEGER, 'Record ids among the examples of errors of runs.'),
});

export const ERASURES: Readonly<Record<string, JsonSchema>> = {
  Erasure: withExample(
    object<keyof ErasureView>({
      id: TEXT,
      profile: { type: 'string', format: 'uuid' },
      requestedAt: TIME,
      endedAt: orNull(described(TIME, 'Null: it goes on, or waits for the warehouse.')),
      error: described(TEXT, 'Why it has failed, or what it waits for; empty: neither.'),
      counts: described(COUNTS, 'What it has deleted so far.'),
    }),
    {
      id: '0mi8wdgh1b3c5d7e9f1g',
      profile: 'c0ffee00-0000-4000-8000-000000000000',
      requestedAt: '2026-03-01T09:30:00.000Z',
      endedAt: '2026-03-01T09:30:02.000Z',
      error: '',
      counts: { profiles: 1, identities: 3, history: 2, events: 120, samples: 1 },
    },
  ),
};
