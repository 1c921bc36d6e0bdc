import {
  EXPORT_MODES,
  type KindInput,
  MISSING_COLUMNS,
  PIPELINE_HISTORY,
  REPLAY_MODES,
  RUN_STATUSES,
  RUN_STEPS,
  SCHEDULE_PERIODS,
  type PipelineView,
  type PipelineFactView,
  type RunErrorView,
  type RunFactView,
  type RunProgress,
  type RunView,
  type RunWait,
  type RunsView,
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
import { CONNECTOR_TYPES, EXAMPLE_ID, EXAMPLE_TIME, list, page, withExample } from './answer';
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

/** Of pipelines that run; which of them depends on what they read or write. */
const KIND_MEMBERS = {
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
  missingColumns: described(
    oneOf(MISSING_COLUMNS),
    'Of an import from a database or files: whether its runs fail without a column of the inSchema (`fail`, the default), or read null instead, with a warning (`null`). The columns of the id and the update time are always needed.',
  ),
  format: described(TEXT, 'Of an import from files, or an export to them: code of the format.'),
  path: described(
    TEXT,
    'Path of the file, relative to the root of the storage; of an export with `${today}`, `${now}` and `${unix}`.',
  ),
  sheet: orNull(described(TEXT, 'Where the format has sheets.')),
  compression: oneOf(['', 'Zip', 'Gzip', 'Snappy']),
  formatSettings: ref('FormatSettings'),
  orderBy: described(TEXT, 'Of an export to files: path of the property that orders its records.'),
  tableName: described(TEXT, 'Of an export to a database.'),
  tableKey: described(
    TEXT,
    'Of an export to a database: the property of the outSchema by which rows are merged.',
  ),
  exportMode: described(
    oneOf(EXPORT_MODES),
    'Of an export to an application: which profiles it sends, those without a user there, those with one, or both.',
  ),
  matching: described(
    object({ in: TEXT, out: TEXT }),
    'Of an export to an application: paths of the properties of the inSchema and of the outSchema by which profiles and users are matched.',
  ),
  updateOnDuplicates: described(
    FLAG,
    'Of an export to an application: whether all users are changed that match one profile; else such a profile fails.',
  ),
} satisfies Readonly<Partial<Record<keyof KindInput, JsonSchema>>>;

const PIPELINE = withExample(
  object<Exclude<keyof PipelineView, 'imports' | 'exports' | 'runs'>>(
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
        described(TEXT, 'ID of an event type of the destination; null on a source.'),
      ),
      filter: orNull(ref('Filter')),
      transformation: orNull(ref('Transformation')),
      inSchema: described(ref('Schema'), 'Schema of the input of filter and transformation.'),
      outSchema: orNull(described(ref('Schema'), 'Schema of the output of the transformation.')),
      health: described(HEALTH, 'The worst of its own and that of its connection.'),
      version: INTEGER,
    },
    { ...KIND_MEMBERS, ...RUNS },
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

const PROGRESS = object<keyof RunProgress>({
  passed: COUNTS,
  failed: COUNTS,
  rate: described(INTEGER, 'Records a second over the last ten seconds.'),
  eta: orNull(described(INTEGER, 'Seconds until it ends; null when that cannot be told.')),
  total: orNull(
    described(
      INTEGER,
      'Records of the source, or in the window of a replay of events; null when the source does not say.',
    ),
  ),
});

const RUN = withExample(
  object<keyof RunView>({
    id: ID,
    pipeline: ID,
    pipelineName: described(TEXT, 'As it was when the run was requested.'),
    connection: ID,
    pipelineVersion: orNull(described(INTEGER, 'Null for a replay of events through a draft.')),
    trigger: oneOf(['API', 'Schedule', 'Replay']),
    replayMode: orNull(
      described(oneOf(REPLAY_MODES), 'Of a replay of events; null for any other run.'),
    ),
    status: oneOf(RUN_STATUSES),
    incremental: orNull(
      described(
        FLAG,
        'Whether it reads only what was changed since the last run; null for an export, and for a replay of events.',
      ),
    ),
    startingCursor: orNull(
      described(TEXT, 'Only records with this update time or a later one are read; null: all.'),
    ),
    startTime: described(TIME, 'When it was requested.'),
    endTime: orNull(described(TIME, 'Null until it has ended.')),
    passed: described(COUNTS, 'By step. All 0 until it has ended.'),
    failed: described(COUNTS, 'By step. All 0 until it has ended.'),
    error: described(TEXT, 'The error that ended the run; empty if there was none.'),
    attempt: described(INTEGER, 'How often a worker has taken it up.'),
    progress: orNull(described(PROGRESS, 'Null when it has ended.')),
    waiting: orNull(
      described(
        object<keyof RunWait>({ since: TIME, reason: TEXT, nextAttemptAt: TIME }),
        'What a live run waits for, since it cannot be reached. Null: it waits for nothing.',
      ),
    ),
    purged: described(INTEGER, 'Identities that were removed, since the source has them no more.'),
    warnings: arrayOf(TEXT),
  }),
  {
    id: EXAMPLE_ID,
    pipeline: EXAMPLE_ID,
    pipelineName: 'Users',
    connection: EXAMPLE_ID,
    pipelineVersion: 1,
    trigger: 'API',
    replayMode: null,
    status: 'Succeeded',
    incremental: false,
    startingCursor: null,
    startTime: EXAMPLE_TIME,
    endTime: EXAMPLE_TIME,
    passed: [100, 100, 90, 90, 90, 89],
    failed: [0, 0, 10, 0, 0, 1],
    error: '',
    attempt: 1,
    progress: null,
    waiting: null,
    purged: 0,
    warnings: [],
  },
);

const RUN_ERROR = withExample(
  object<keyof RunErrorView>({
    step: oneOf(RUN_STEPS),
    code: TEXT,
    message: TEXT,
    count: INTEGER,
    firstAt: TIME,
    lastAt: TIME,
    samples: described(arrayOf(TEXT), 'Ids of at most ten of the records.'),
    texts: described(
      arrayOf(object({ sample: TEXT, text: TEXT })),
      'What a function has thrown for samples, which may hold values: empty for a key of scope `read`.',
    ),
    advice: described(TEXT, 'What to do about it; empty for errors of replays of events.'),
    places: described(
      arrayOf(TEXT),
      'Where the source has at most ten of the records, such as `line 5`; empty where it has no such places.',
    ),
  }),
  {
    step: 'Finalize',
    code: 'Refused',
    message: 'value out of range',
    count: 1,
    firstAt: EXAMPLE_TIME,
    lastAt: EXAMPLE_TIME,
    samples: ['u1'],
    places: [],
    texts: [],
    advice: 'correct what is refused: the credentials, the rights or the value',
  },
);

const RUN_FACT = withExample(
  object<keyof RunFactView>({
    type: TEXT,
    time: TIME,
    actor: described(TEXT, 'ID of an API key, `scheduler` or `system`.'),
    data: { type: 'object' },
  }),
  { type: 'RunClaimed', time: EXAMPLE_TIME, actor: 'system', data: { worker: 'w', epoch: 1 } },
);

const PIPELINE_FACT = withExample(
  object<keyof PipelineFactView>({
    type: oneOf(PIPELINE_HISTORY),
    time: TIME,
    actor: described(TEXT, 'ID of an API key, `scheduler` or `system`.'),
    data: { type: 'object' },
  }),
  { type: 'PipelineStatusSet', time: EXAMPLE_TIME, actor: EXAMPLE_ID, data: { enabled: true } },
);

/** Components for pipelines and their runs. */
export const PIPELINES: Readonly<Record<string, JsonSchema>> = {
  Pipeline: PIPELINE,
  PipelineList: page('pipelines', 'Pipeline', PIPELINE),
  Run: RUN,
  RunList: list('runs', 'Run', RUN, {
    cursor: described(TEXT, 'Only of a page: the cursor of the next one; empty on the last one.'),
  }),
  RunError: RUN_ERROR,
  RunErrorList: page('errors', 'RunError', RUN_ERROR),
  RunFact: RUN_FACT,
  PipelineFact: PIPELINE_FACT,
  PipelineFactList: page('facts', 'PipelineFact', PIPELINE_FACT),
  RunFactList: page('facts', 'RunFact', RUN_FACT),
};
