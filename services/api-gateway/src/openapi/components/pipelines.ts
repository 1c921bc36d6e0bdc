import { type PipelineView, type RunsView, SCHEDULE_PERIODS } from '@penstock/contracts';
import {
  arrayOf,
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { HEALTH, HEALTH_EXAMPLE } from './health';
import { CONNECTOR_TYPES, EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';
import { FILTER_EXAMPLE, SCHEMA_EXAMPLE, TRANSFORMATION_EXAMPLE } from './notation';

const ID = ref('Id');

const OF_RUNS = 'Only of a pipeline that runs.';

const RUNS: Readonly<Record<keyof RunsView, JsonSchema>> = {
  schedulePeriod: described(
    orNull(oneOf(SCHEDULE_PERIODS)),
    `How often it runs by itself. ${OF_RUNS}`,
  ),
  scheduleStart: described(
    orNull(INTEGER),
    `Minutes after midnight, UTC, of its first slot. ${OF_RUNS}`,
  ),
  nextRun: described(
    orNull(TIME),
    `The next slot; null when it has none, or is disabled. ${OF_RUNS}`,
  ),
  running: described(FLAG, `Whether it has a run that has not ended. ${OF_RUNS}`),
};

const PIPELINE = withExample(
  object<Exclude<keyof PipelineView, 'runs'>>(
    {
      id: ID,
      name: TEXT,
      connector: described(TEXT, 'Code of the connector.'),
      connectorType: oneOf(CONNECTOR_TYPES),
      connection: ID,
      connectionRole: oneOf(['Source', 'Destination']),
      target: oneOf(['User', 'Event']),
      enabled: FLAG,
      eventType: described(TEXT, 'ID of an event type of the connection.'),
      filter: orNull(ref('Filter')),
      transformation: orNull(ref('Transformation')),
      inSchema: described(ref('Schema'), 'Schema of the input of filter and transformation.'),
      outSchema: orNull(described(ref('Schema'), 'Schema of the output of the transformation.')),
      health: described(HEALTH, 'The worst of its own and that of its connection.'),
      version: INTEGER,
    },
    RUNS,
  ),
  {
    id: EXAMPLE_ID,
    name: 'Carts',
    connector: 'klaviyo',
    connectorType: 'Application',
    connection: EXAMPLE_ID,
    connectionRole: 'Destination',
    target: 'Event',
    enabled: true,
    eventType: 'send_add_to_cart',
    filter: FILTER_EXAMPLE,
    transformation: { ...TRANSFORMATION_EXAMPLE, function: null },
    inSchema: SCHEMA_EXAMPLE,
    outSchema: SCHEMA_EXAMPLE,
    health: HEALTH_EXAMPLE,
    version: 1,
  },
);

const COUNTS = described(
  { ...arrayOf(INTEGER), minItems: 6, maxItems: 6 },
  'By step: Receive, InputValidation, Filter, Transformation, OutputValidation, Finalize.',
);

const RUN = withExample(
  object({
    id: ID,
    pipeline: ID,
    startTime: TIME,
    endTime: orNull(described(TIME, 'Null while it runs.')),
    passed: COUNTS,
    failed: COUNTS,
    error: described(TEXT, 'The error that ended the run; empty if there was none.'),
    status: oneOf(['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled']),
  }),
  {
    id: EXAMPLE_ID,
    pipeline: EXAMPLE_ID,
    startTime: EXAMPLE_TIME,
    endTime: null,
    passed: [0, 0, 0, 0, 0, 0],
    failed: [0, 0, 0, 0, 0, 0],
    error: '',
    status: 'Running',
  },
);

/** Components for pipelines and their runs. */
export const PIPELINES: Readonly<Record<string, JsonSchema>> = {
  Pipeline: PIPELINE,
  PipelineList: page('pipelines', 'Pipeline', PIPELINE),
  Run: RUN,
  RunList: page('runs', 'Run', RUN),
};
