import { absent, json, malformed, NO_PIPELINE, NONE, type Refused, type Row } from './refusal';

const NO_RUN = absent('RunNotExist', 'run does not exist');
const NO_API_KEY = absent('KeyNotExist', 'key does not exist');
const NO_WORKSPACE = absent('WorkspaceNotExist', 'workspace does not exist');
const NOT_RUNNABLE: Refused = {
  status: 422,
  code: 'PipelineNotRunnable',
  message: 'pipeline cannot be run',
};

export const RUNS: Row[] = [
  [
    'a period that is none',
    'PUT /v1/pipelines/{pipeline}/schedule',
    json({ period: '7m' }),
    malformed('/period'),
  ],
  ['no period', 'PUT /v1/pipelines/{pipeline}/schedule', json({}), malformed('/period')],
  [
    'a schedule of nothing',
    'PUT /v1/pipelines/nothing000000/schedule',
    json({ period: null }),
    NO_PIPELINE,
  ],
  [
    'a schedule of what is fed by events',
    'PUT /v1/pipelines/{pipeline}/schedule',
    json({ period: '1h' }),
    NOT_RUNNABLE,
  ],
  [
    'a run that is neither',
    'POST /v1/pipelines/{pipeline}/runs',
    json({ incremental: 1 }),
    malformed('/incremental'),
  ],
  ['a run of nothing', 'POST /v1/pipelines/nothing000000/runs', NONE, NO_PIPELINE],
  ['a run of what is fed by events', 'POST /v1/pipelines/{pipeline}/runs', NONE, NOT_RUNNABLE],
  ['a status that is none', 'GET /v1/pipelines/runs?status=done', NONE, malformed('/status')],
  ['a time that is none', 'GET /v1/pipelines/runs?from=today', NONE, malformed('/from')],
  ['a run that is none', 'GET /v1/pipelines/runs/nothing000000', NONE, NO_RUN],
  ['the end of a run that is none', 'POST /v1/pipelines/runs/nothing000000/cancel', NONE, NO_RUN],
];

const KEY = { name: 'CI', scope: 'read' };
const WAREHOUSE = { platform: 'PostgreSQL', settings: { host: 'localhost' } };

export const ADMINISTRATION: Row[] = [
  ['a key without a scope', 'POST /v1/keys', json({ name: 'CI' }), malformed('/scope')],
  [
    'a key that ended before',
    'POST /v1/keys',
    json({ ...KEY, expiresAt: '2020-01-01T00:00:00Z' }),
    malformed('/expiresAt'),
  ],
  [
    'a key of no workspace',
    'POST /v1/keys',
    json({ ...KEY, workspace: 'nothing000000' }),
    NO_WORKSPACE,
  ],
  ['a key that is none', 'DELETE /v1/keys/nothing000000', NONE, NO_API_KEY],
  ['a cursor that is none', 'GET /v1/keys?cursor=x', NONE, malformed('/cursor')],
  [
    'a workspace without a warehouse',
    'POST /v1/workspaces',
    json({ name: 'W' }),
    malformed('/warehouse'),
  ],
  [
    'a platform that is none',
    'POST /v1/workspaces',
    json({ name: 'W', warehouse: { ...WAREHOUSE, platform: 'Abacus' } }),
    malformed('/warehouse/platform'),
  ],
  [
    'a warehouse without its settings',
    'POST /v1/workspaces',
    json({ name: 'W', warehouse: WAREHOUSE }),
    malformed('/warehouse/settings/port'),
  ],
  [
    'a workspace without a name',
    'PUT /v1/workspaces/current',
    json({ name: '' }),
    malformed('/name'),
  ],
  [
    'a workspace that is none',
    'GET /v1/workspaces/current',
    { headers: { 'Penstock-Workspace': 'nothing000000' } },
    NO_WORKSPACE,
  ],
  [
    'a version that is none',
    'PUT /v1/workspaces/current',
    { ...json({ name: 'W' }), headers: { ...json({}).headers, 'If-Match': '"77"' } },
    { status: 409, code: 'Conflict', message: 'resource was changed by another request' },
  ],
  [
    'a status that is none',
    'PUT /v1/organization/status',
    json({ enabled: 'yes' }),
    malformed('/enabled'),
  ],
  [
    'an Idempotency-Key that is none',
    'POST /v1/pipelines/{pipeline}/runs',
    { headers: { 'Idempotency-Key': 'k'.repeat(256) } },
    malformed('/Idempotency-Key'),
  ],
];
