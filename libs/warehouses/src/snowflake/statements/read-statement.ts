import type { JsonString } from '@penstock/contracts';
import {
  asTable,
  type Cell,
  DatabaseFault,
  type SnowflakeColumn,
  type SnowflakeSession,
} from '@penstock/databases';
import type { StatementRows, StatementWanted } from '../../platform/statement-reads';
import { WarehouseFault } from '../../platform/warehouse';
import { checkStatement } from './check-statement';
import { cellWriter, columnTypeOf } from './column-cell';

/** Seconds. Source: the specification of the warehouse, "Settings". */
const STATEMENT_SECONDS = 30;

/**
 * What a session begins with. The rights that count are those of its role alone, which were looked at, and those of roles
 * that it has inherited. Source: Snowflake, "USE SECONDARY ROLES".
 */
const BEGIN: readonly string[] = [
  'USE SECONDARY ROLES NONE',
  `ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = ${String(STATEMENT_SECONDS)}`,
];

/** Rows as they come, until there are no more of them, or no room for more. */
class Rows {
  readonly texts: JsonString[] = [];
  isCut = false;
  private bytes = 0;
  private readonly writers: readonly ((cell: Cell | null) => JsonString)[];

  constructor(
    columns: readonly SnowflakeColumn[],
    private readonly maxBytes: number,
  ) {
    this.writers = columns.map(cellWriter);
  }

  add(row: readonly (Cell | null)[]): void {
    const text = `[${this.writers.map((write, at) => write(row[at] ?? null)).join(',')}]`;
    this.bytes += Buffer.byteLength(text) + 1;
    this.isCut = this.texts.length > 0 && this.bytes > this.maxBytes;
    if (!this.isCut) this.texts.push(text);
  }
}

/** @throws WarehouseFault `invalid` */
const queryOf = (text: string): string => {
  try {
    const query = asTable(text);
    checkStatement(query);
    return query;
  } catch (error) {
    if (error instanceof DatabaseFault) throw new WarehouseFault('invalid', error.message);
    throw error;
  }
};

/** Why somebody else's statement has failed: `invalid` where the server refuses it. */
const statementFault = (session: SnowflakeSession, error: unknown): WarehouseFault => {
  const { kind, message } = session.faultOf(error, 'InvalidQuery');
  return new WarehouseFault(kind === 'InvalidQuery' ? 'invalid' : 'unreachable', message);
};

const execute = async (
  session: SnowflakeSession,
  query: string,
  maxBytes: number,
): Promise<StatementRows> => {
  const { columns, stream } = await session.run(query);
  try {
    const rows = new Rows(columns, maxBytes);
    for await (const row of stream as AsyncIterable<readonly (Cell | null)[]>) {
      rows.add(row);
      if (rows.isCut) break;
    }
    return {
      columns: columns.map((column) => ({ name: column.getName(), type: columnTypeOf(column) })),
      rows: rows.texts,
      isCut: rows.isCut,
    };
  } finally {
    stream.destroy();
  }
};

/**
 * Executes a statement that somebody else has written, in the place of a table of our own query: no other statement can stand there.
 * The session is of no use afterwards. Its result is at the server before it begins to be read, and is read no further than it
 * is given.
 *
 * @throws WarehouseFault `invalid`, `unreachable`
 */
export const readStatement = async (
  session: SnowflakeSession,
  { text, maxBytes }: StatementWanted,
): Promise<StatementRows> => {
  const query = queryOf(text);
  for (const statement of BEGIN) await session.rows(statement);
  try {
    return await execute(session, query, maxBytes);
  } catch (error) {
    throw statementFault(session, error);
  }
};
