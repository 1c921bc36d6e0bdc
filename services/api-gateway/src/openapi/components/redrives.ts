import { REDRIVE_STATES, type RedriveView } from '@penstock/contracts';
import {
  described,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';

const ID = ref('Id');

const REDRIVE = withExample(
  object<keyof RedriveView>({
    id: ID,
    pipeline: ID,
    state: oneOf(REDRIVE_STATES),
    chosen: described(
      INTEGER,
      'The sum of the numbers below; grows until a large redrive has begun.',
    ),
    delivered: INTEGER,
    filtered: described(INTEGER, 'Their users were suppressed meanwhile.'),
    rejected: described(INTEGER, 'Rejected again.'),
    parked: described(INTEGER, 'Given up, as too old or since the pipeline was deleted.'),
    left: described(INTEGER, 'Not ended; of a cancelled redrive: left as they were.'),
    startedAt: TIME,
    endedAt: orNull(described(TIME, 'Null while it runs.')),
    createdBy: described(ID, 'The API key.'),
  }),
  {
    id: EXAMPLE_ID,
    pipeline: EXAMPLE_ID,
    state: 'Running',
    chosen: 100,
    delivered: 90,
    filtered: 0,
    rejected: 1,
    parked: 0,
    left: 9,
    startedAt: EXAMPLE_TIME,
    endedAt: null,
    createdBy: EXAMPLE_ID,
  },
);

/** Components for redrives. */
export const REDRIVES: Readonly<Record<string, JsonSchema>> = {
  Redrive: REDRIVE,
  RedriveList: page('redrives', 'Redrive', REDRIVE),
  CreatedRedrive: withExample(
    object(
      { count: described(INTEGER, 'What it chooses, or would choose.') },
      { id: described(ID, 'Absent with `dryRun`.') },
    ),
    { id: EXAMPLE_ID, count: 100 },
  ),
};
