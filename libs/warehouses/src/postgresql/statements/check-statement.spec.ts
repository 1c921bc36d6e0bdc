import { checkStatement } from './check-statement';

const refused = (text: string) => {
  expect(() => {
    checkStatement(text);
  }).toThrow(expect.objectContaining({ name: 'WarehouseFault', kind: 'invalid' }) as Error);
};

const NAMES = [
  'pg_advisory_lock',
  'pg_advisory_xact_lock_shared',
  'pg_try_advisory_lock',
  'pg_advisory_unlock_all',
  'set_config',
  'pg_terminate_backend',
  'pg_cancel_backend',
  'pg_logical_emit_message',
  'pg_notify',
  'pg_export_snapshot',
  'lo_from_bytea',
  'lo_creat',
  'lo_create',
  'lo_put',
  'lo_open',
  'lowrite',
  'lo_truncate',
  'lo_truncate64',
  'lo_unlink',
  'query_to_xml',
  'query_to_xml_and_xmlschema',
  'cursor_to_xml',
  'ts_stat',
  'ts_rewrite',
  'dblink',
  'dblink_exec',
  'crosstab3',
  'connectby',
  'xpath_table',
];

describe.each(NAMES)('%s', (name) => {
  it.each([
    `SELECT ${name}(1)`,
    `SELECT ${name.toUpperCase()} (1)`,
    `SELECT pg_catalog.${name}(1)`,
    `SELECT pg_catalog."${name}"(1)`,
    `SELECT 1+${name}(1)`,
    `SELECT * FROM/**/${name}/**/(1)`,
    `SELECT 'it is ${name}'`,
  ])('is refused wherever it stands: %s', refused);

  it.each([`SELECT my_${name} FROM t`, `SELECT ${name}$ FROM t`, `SELECT x${name} FROM t`])(
    'is no other name: %s',
    (text) => {
      checkStatement(text);
    },
  );
});

it.each([
  String.raw`SELECT pg_catalog.U&"pg\005Fadvisory_lock"(1)`,
  String.raw`SELECT u&"\0070g_advisory_lock"(1)`,
  'SELECT 1\0',
])('refuses what hides a name: %j', refused);

it.each([
  'SELECT payments_status, events_stats FROM profiles',
  'SELECT lo_res, lo_creations FROM t',
  "SELECT 'R&D' || U&'d\\0061ta'",
  'SELECT pg_sleep(1)',
  'WITH a AS (SELECT 1) TABLE a',
])('takes %s', (text) => {
  checkStatement(text);
});
