import {
  type KindInput,
  type PipelineView,
  type RunsView,
  SCHEDULE_PERIODS,
} from '@penstock/contracts';
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

/** Of pipelines that import users; which of them depends on where from. */
const IMPORT_MEMBERS = {
  incremental: described(
    FLAG,
    'Of an import: whether its runs read only what was changed, unless asked otherwise.',
  ),
  query: described(TEXT, 'Of an import from a database.'),
  userIDColumn: described(
    TEXT,
    'Of an import from a database or files: the column that identifies a record.',
  ),
  updatedAtColumn: orNull(described(TEXT, 'The column that says when a record was changed.')),
  updatedAtFormat: orNull(
    described(
      TEXT,
      '`ISO8601`, `Excel` (files only) or a layout with `%`, where that column holds texts.',
    ),
  ),
  format: described(TEXT, 'Of an import from files: code of the format.'),
  path: described(TEXT, 'Path of the file, relative to the root of the storage.'),
  sheet: orNull(described(TEXT, 'Where the format has sheets.')),
  compression: oneOf(['', 'Zip', 'Gzip', 'Snappy']),
  formatSettings: ref('FormatSettings'),
} satisfies Readonly<Partial<Record<keyof KindInput, JsonSchema>>>;

const PIPELINE = withExample(
  object<Exclude<keyof PipelineView, 'imports' | 'runs'>>(
    {
      id: ID,
      name: TEXT,
      connector: described(TEXT, 'Code of the connector.'),
      connectorType: oneOf(CONNECTOR_TYPES),
      connection: ID,
      connectionRole: oneOf(['Source', 'Destination']),
      target: oneOf(['User', 'Event']),
      enabled: FLAG,
      eventType: orNull(
        described(TEXT, 'ID of an event type of the connection; null for an import.'),
      ),
      filter: orNull(ref('Filter')),
      transformation: orNull(ref('Transformation')),
      inSchema: described(ref('Schema'), 'Schema of the input of filter and transformation.'),
      outSchema: orNull(described(ref('Schema'), 'Schema of the output of the transformation.')),
      health: described(HEALTH, 'The worst of its own and that of its connection.'),
      version: INTEGER,
    },
    { ...IMPORT_MEMBERS, ...RUNS },
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
