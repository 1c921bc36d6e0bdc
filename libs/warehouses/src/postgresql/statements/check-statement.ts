import { WarehouseFault } from '../../platform/warehouse';

/**
 * Functions that everybody may call, though they concern others: locks that the service waits for, settings of the session,
 * other sessions, the log of the server; large objects, which servers before 16 write in read-only transactions, too; and
 * those that execute the text of a statement, in which these could be hidden.
 */
const FORBIDDEN = [
  String.raw`pg_(?:try_)?advisory\w*`,
  'set_config',
  String.raw`pg_(?:terminate|cancel)_backend`,
  String.raw`pg_logical_\w+`,
  'pg_notify',
  'pg_export_snapshot',
  String.raw`lo_(?:creat|create|from_bytea|put|unlink|import|export|open|truncate(?:64)?)`,
  'lowrite',
  String.raw`query_to_xml\w*`,
  String.raw`cursor_to_xml\w*`,
  'ts_stat',
  'ts_rewrite',
  String.raw`dblink\w*`,
  String.raw`crosstab\w*`,
  'connectby',
  'xpath_table',
];

const NAMES = new RegExp(String.raw`(?<![\w$])(?:${FORBIDDEN.join('|')})(?![\w$])`, 'i');

/** Names that are written in another way than they read. */
const ESCAPED_NAME = /u&"/i;

const invalid = (message: string): WarehouseFault => new WarehouseFault('invalid', message);

/**
 * Refuses what a read-only transaction does not: a name can be spelled in one way only, so that it is found in the text,
 * wherever it stands.
 *
 * @throws WarehouseFault `invalid`
 */
export const checkStatement = (text: string): void => {
  if (text.includes('\0')) throw invalid('it has a character NUL');
  if (ESCAPED_NAME.test(text)) throw invalid('names with Unicode escapes are not taken: U&"');
  const [name] = NAMES.exec(text) ?? [];
  if (name !== undefined) throw invalid(`${name} is not taken`);
};
