import { randomUUID } from 'node:crypto';
import type { ProfileFact } from '@penstock/contracts';
import { snowflakeName, type SnowflakeSession } from '@penstock/databases';
import type {
  FactInHistory,
  ProfileAlias,
  ResolvedHead,
  ResolvedIdentity,
  ResolvedProfile,
  ResolvedState,
} from '../../platform/resolved-reads';
import type { RecordedProfileFact } from '../../platform/resolver';
import { type Place, qualified } from '../sql/names';
import { readRows, rowsFrom } from './read-rows';
import { membersOf, type Row, unfit } from './rows';

/** Rows of a page. */
const ROWS = 10_000;
/** A fact may name very many profiles. */
const FACTS = 100;

const TABLE = 'data warehouse';

const member = membersOf(TABLE);

/** What is kept of the tables, by kinds. `N` is a number, `AT` a moment, `ID` and `OTHER` are ids. */
const KINDS = {
  head: 0,
  newest: 1,
  facts: 2,
  identities: 3,
  profiles: 4,
  aliases: 5,
  history: 6,
  unresolved: 7,
} as const;

type Kind = keyof typeof KINDS;

/** Who is asked before a page is given. */
type Guard = () => Promise<void>;

const part = (kind: Kind, from: string, columns: Readonly<Record<string, string>>): string => {
  const { n = 'NULL', id = 'NULL', other = 'NULL', at = 'NULL', fact = 'NULL' } = columns;
  return `SELECT ${String(KINDS[kind])} AS "KIND", CAST(${n} AS NUMBER(38,0)) AS "N", CAST(${id} AS VARCHAR) AS "ID",
    CAST(${other} AS VARCHAR) AS "OTHER", CAST(${at} AS TIMESTAMP_TZ(9)) AS "AT", CAST(${fact} AS VARIANT) AS "FACT"
    FROM ${from}`;
};

/** Everything in one statement, which sees one moment: a transaction of Snowflake sees several. */
const statement = (place: Place): string => {
  const table = (name: string): string => qualified(place, name);
  return [
    part('head', table('_META'), { at: '"CREATED_AT"' }),
    ...['_OUTBOX', '_PROFILE_HISTORY'].map((name) =>
      part('newest', `(SELECT MAX("ID") AS "N" FROM ${table(name)}) AS "NEWEST"`, { n: '"N"' }),
    ),
    part('facts', table('_OUTBOX'), { n: '"ID"', at: '"AT"', fact: '"FACT"' }),
    part('identities', table('_IDENTITIES'), { n: '"_ID"', id: '"_PROFILE_ID"' }),
    part('profiles', table('_PROFILES'), { n: '"_IDENTITIES"', id: '"_PROFILE_ID"' }),
    part('aliases', table('_PROFILE_ALIASES'), { id: '"ALIAS"', other: '"PROFILE_ID"' }),
    part('history', table('_PROFILE_HISTORY'), { n: '"ID"', id: '"PROFILE_ID"', at: '"AT"' }),
    `${part('unresolved', table('_DIRTY'), { n: '"IDENTITY"', id: '"PROFILE_ID"' })} WHERE "PROFILE_ID" IS NOT NULL`,
  ].join(' UNION ALL ');
};

const msOf = (time: string): number => {
  const [seconds = '', micros = ''] = time.replace('Z', '').split('.');
  return Date.parse(`${seconds}Z`) + Number(micros) / 1_000;
};

/** Of one moment, which is kept in a table of the session until it ends. */
export class SnowflakeResolvedState implements ResolvedState {
  static async open(
    session: SnowflakeSession,
    place: Place,
    guard: Guard,
  ): Promise<SnowflakeResolvedState> {
    // Of the session's own schema, which is the warehouse's.
    const table = snowflakeName(`_STAGE_${randomUUID().replaceAll('-', '').toUpperCase()}`);
    await session.rows(`CREATE TEMPORARY TABLE ${table} AS ${statement(place)}`);
    return new SnowflakeResolvedState(session, table, guard);
  }

  private constructor(
    private readonly session: SnowflakeSession,
    private readonly table: string,
    private readonly guard: Guard,
  ) {}

  async head(): Promise<ResolvedHead> {
    const { head, newest } = KINDS;
    const names = ['MADE', 'NEWEST'];
    const sql = `
      SELECT MAX(IFF("KIND" = ${String(head)}, "AT", NULL)) AS "MADE",
             MAX(IFF("KIND" = ${String(newest)}, "N", NULL)) AS "NEWEST"
      FROM ${this.table} WHERE "KIND" IN (${String(head)}, ${String(newest)})`;
    const [row = {}] = await readRows(this.session, { sql, names });
    await this.guard();
    const known = row['NEWEST'] === null ? undefined : member.count(row, 'NEWEST');
    return { madeAtMs: msOf(member.time(row, 'MADE')), newest: known };
  }

  facts(): AsyncGenerator<readonly RecordedProfileFact[]> {
    return this.pages(
      { kind: 'facts', order: ['N'], rows: FACTS, read: ['N', 'AT', 'FACT'] },
      (row) => ({
        number: member.text(row, 'N'),
        atMs: msOf(member.time(row, 'AT')),
        fact: JSON.parse(member.text(row, 'FACT')) as ProfileFact,
      }),
    );
  }

  identities(): AsyncGenerator<readonly ResolvedIdentity[]> {
    return this.pages({ kind: 'identities', order: ['N'] }, (row) => ({
      number: member.count(row, 'N'),
      profile: row['ID'] === null ? null : idIn(row, 'ID'),
    }));
  }

  profiles(): AsyncGenerator<readonly ResolvedProfile[]> {
    return this.pages({ kind: 'profiles', order: ['ID'] }, (row) => ({
      profile: idIn(row, 'ID'),
      identities: member.count(row, 'N'),
    }));
  }

  aliases(): AsyncGenerator<readonly ProfileAlias[]> {
    return this.pages({ kind: 'aliases', order: ['ID'] }, (row) => ({
      alias: idIn(row, 'ID'),
      profile: idIn(row, 'OTHER'),
    }));
  }

  history(): AsyncGenerator<readonly FactInHistory[]> {
    return this.pages({ kind: 'history', order: ['ID', 'AT', 'N'] }, (row) => ({
      profile: idIn(row, 'ID'),
      number: member.count(row, 'N'),
    }));
  }

  unresolved(): AsyncGenerator<readonly { readonly profile: string }[]> {
    return this.pages({ kind: 'unresolved', order: ['N'] }, (row) => ({
      profile: idIn(row, 'ID'),
    }));
  }

  /** The table ends with the session, too. */
  async close(): Promise<void> {
    await this.session.rows(`DROP TABLE IF EXISTS ${this.table}`);
  }

  private async *pages<T>(
    { kind, order, rows = ROWS, read = ['N', 'ID', 'OTHER'] }: PagedKind,
    make: (row: Row) => T,
  ): AsyncGenerator<readonly T[]> {
    const names = read.map(snowflakeName).join(', ');
    const sql = `
      SELECT ${names} FROM ${this.table} WHERE "KIND" = ${String(KINDS[kind])}
      ORDER BY ${order.map(snowflakeName).join(', ')}`;
    let page: T[] = [];
    for await (const row of rowsFrom(this.session, { sql, names: read })) {
      page.push(make(row));
      if (page.length < rows) continue;
      await this.guard();
      yield page;
      page = [];
    }
    await this.guard();
    if (page.length > 0) yield page;
  }
}

/** What is read page by page. */
interface PagedKind {
  readonly kind: Kind;
  /** Columns. */
  readonly order: readonly string[];
  readonly rows?: number;
  readonly read?: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idIn = (row: Row, name: string): string => {
  const id = member.text(row, name);
  if (UUID.test(id)) return id;
  throw unfit(TABLE, name);
};
