import { json, malformed, NONE, type Refused, type Row } from './refusal';

/** Of a server that nobody is. */
const SETTINGS = {
  host: '127.0.0.1',
  port: 1,
  username: 'u',
  password: 'p',
  database: 'd',
  schema: 's',
};

const invalid = (path: string): Refused => ({
  status: 422,
  code: 'InvalidWarehouseSettings',
  message: 'data warehouse settings are not valid',
  path,
});

export const WAREHOUSE: Row[] = [
  ['no settings', 'PUT /v1/warehouse', json({}), malformed('/settings')],
  ['settings that are null', 'PUT /v1/warehouse', json({ settings: null }), malformed('/settings')],
  [
    'a platform',
    'PUT /v1/warehouse',
    json({ settings: SETTINGS, platform: 'Snowflake' }),
    malformed('/platform'),
  ],
  [
    'a mode that is none',
    'PUT /v1/warehouse',
    json({ settings: SETTINGS, mode: 'Off' }),
    malformed('/mode'),
  ],
  [
    'a mode in a test',
    'PUT /v1/warehouse/test',
    json({ settings: SETTINGS, mode: 'Normal' }),
    malformed('/mode'),
  ],
  [
    'port 0',
    'PUT /v1/warehouse/test',
    json({ settings: { ...SETTINGS, port: 0 } }),
    malformed('/settings/port'),
  ],
  [
    'port 65,536',
    'PUT /v1/warehouse/test',
    json({ settings: { ...SETTINGS, port: 65_536 } }),
    malformed('/settings/port'),
  ],
  [
    'a password of 101 characters',
    'PUT /v1/warehouse/test',
    json({ settings: { ...SETTINGS, password: '😀'.repeat(101) } }),
    malformed('/settings/password'),
  ],
  [
    'a schema of the database itself',
    'PUT /v1/warehouse/test',
    json({ settings: { ...SETTINGS, schema: 'pg_catalog' } }),
    malformed('/settings/schema'),
  ],
  [
    'a member of another platform',
    'PUT /v1/warehouse/test',
    json({ settings: { ...SETTINGS, role: 'R' } }),
    malformed('/settings/role'),
  ],
  [
    'MCP settings without a host',
    'PUT /v1/warehouse/test',
    json({ settings: SETTINGS, mcpSettings: { ...SETTINGS, host: undefined } }),
    malformed('/mcpSettings/host'),
  ],
  [
    'a server that is none',
    'PUT /v1/warehouse/test',
    json({ settings: SETTINGS }),
    invalid('/settings'),
  ],
  [
    'a server that must not be reached',
    'PUT /v1/warehouse',
    json({ settings: { ...SETTINGS, host: '169.254.169.254' } }),
    invalid('/settings'),
  ],
  ['no mode', 'PUT /v1/warehouse/mode', json({}), malformed('/mode')],
  [
    'a word for true',
    'PUT /v1/warehouse/mode',
    json({ mode: 'Normal', cancelIncompatibleOperations: 'yes' }),
    malformed('/cancelIncompatibleOperations'),
  ],
  [
    'another method',
    'GET /v1/warehouse/repair',
    NONE,
    { status: 405, code: 'MethodNotAllowed', message: 'method is not allowed' },
  ],
];
