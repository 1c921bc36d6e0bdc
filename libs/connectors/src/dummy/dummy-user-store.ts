import type { PoolClient } from 'pg';
import type { DummyTables } from './dummy-tables';

/** A user that was written, as the test application keeps it. */
export interface StoredUser {
  readonly id: string;
  readonly sequence: number;
  /** Of a generated user that was changed; `null`: the user was created. */
  readonly number: number | null;
  /** Milliseconds since 1970. */
  readonly updatedAtMs: number;
  /** JSON text of what may be read and written of the user. */
  readonly record: string;
}

/** Which written users are listed beside the generated ones. */
export interface StoredQuery {
  /** Generated users from here to `last` are listed elsewhere. */
  readonly first: number;
  readonly last: number;
  /** Milliseconds since 1970; `null`: whenever they were changed. */
  readonly changedSinceMs: number | null;
  /** The smallest sequence that is wanted. */
  readonly from: number;
  readonly limit: number;
}

/** How much was written of the users of a connection. */
export interface UserCounts {
  readonly created: number;
  readonly updated: number;
}

/** What is kept of the users of a connection. */
export interface KeptUsers extends UserCounts {
  /** Users that were created or changed. */
  readonly users: number;
}

interface Row {
  readonly id: string;
  readonly sequence: string;
  readonly number: number | null;
  readonly updated_at_ms: number;
  readonly record: string;
}

const COLUMNS = `id, sequence, number, record::text AS record,
  (extract(epoch FROM updated_at) * 1000)::float8 AS updated_at_ms`;

const AMONG = `
  SELECT ${COLUMNS} FROM penstock_dummy.users
  WHERE connection = $1 AND number BETWEEN $2 AND $3`;

const BESIDE = `
  SELECT ${COLUMNS} FROM penstock_dummy.users
  WHERE connection = $1 AND sequence >= $2
    AND (number IS NULL OR number NOT BETWEEN $3 AND $4)
    AND ($5::float8 IS NULL OR updated_at >= to_timestamp($5 / 1000))
  ORDER BY sequence LIMIT $6`;

const WITH_VALUE = `
  SELECT ${COLUMNS} FROM penstock_dummy.users
  WHERE connection = $1 AND record #>> $2::text[] = ANY ($3::text[]) ORDER BY sequence`;

const WRITE = `
  INSERT INTO penstock_dummy.users (connection, id, number, record, updated_at)
  VALUES ($1, $2, $3, $4::jsonb, date_trunc('milliseconds', clock_timestamp()))
  ON CONFLICT (connection, id) DO UPDATE
  SET record = excluded.record, updated_at = excluded.updated_at`;

const COUNT = `
  INSERT INTO penstock_dummy.calls AS known (connection, operation, count) VALUES ($1, $2, $3)
  ON CONFLICT (connection, operation) DO UPDATE SET count = known.count + excluded.count`;

const COUNTS = `
  SELECT operation, count::int AS count FROM penstock_dummy.calls
  WHERE connection = $1 AND operation IN ('created', 'updated')
  UNION ALL
  SELECT 'users', count(*)::int FROM penstock_dummy.users WHERE connection = $1`;

const storedUser = ({ sequence, updated_at_ms: updatedAtMs, ...row }: Row): StoredUser => ({
  ...row,
  sequence: Number(sequence),
  updatedAtMs,
});

/** The users of the test application that were created or changed, in PostgreSQL: every process sees the same. */
export class DummyUserStore {
  constructor(private readonly tables: DummyTables) {}

  /** Those of the generated users from one number to another that were changed. */
  async changedAmong(connection: string, from: number, to: number): Promise<StoredUser[]> {
    return (await this.tables.query<Row>(AMONG, [connection, from, to])).map(storedUser);
  }

  /** Users that were written and are not among the generated ones, in the order of their first write. */
  async beside(
    connection: string,
    { from, first, last, changedSinceMs, limit }: StoredQuery,
  ): Promise<StoredUser[]> {
    const values = [connection, from, first, last, changedSinceMs, limit];
    return (await this.tables.query<Row>(BESIDE, values)).map(storedUser);
  }

  /** Users that were written and have one of the values at a path. */
  async withValue(
    connection: string,
    path: readonly string[],
    values: readonly string[],
  ): Promise<StoredUser[]> {
    return (await this.tables.query<Row>(WITH_VALUE, [connection, path, values])).map(storedUser);
  }

  async counts(connection: string): Promise<KeptUsers> {
    const rows = await this.tables.query<{ operation: string; count: number }>(COUNTS, [
      connection,
    ]);
    const of = (name: string) => rows.find(({ operation }) => operation === name)?.count ?? 0;
    return { users: of('users'), created: of('created'), updated: of('updated') };
  }

  /** Writes users in one transaction, while nobody else writes users of the connection. */
  write<T>(connection: string, work: (writing: UserWriting) => Promise<T>): Promise<T> {
    return this.tables.alone(connection, (client) => work(new UserWriting(client, connection)));
  }
}

/** Writes of one transaction. */
export class UserWriting {
  constructor(
    private readonly client: PoolClient,
    private readonly connection: string,
  ) {}

  /** A user that was written before; undefined when it was not. */
  async get(id: string): Promise<StoredUser | undefined> {
    const { rows } = await this.client.query<Row>(
      `SELECT ${COLUMNS} FROM penstock_dummy.users WHERE connection = $1 AND id = $2`,
      [this.connection, id],
    );
    return rows.map(storedUser)[0];
  }

  /** Users that were written and have the email. */
  async withEmail(email: string): Promise<StoredUser[]> {
    const { rows } = await this.client.query<Row>(WITH_VALUE, [
      ...[this.connection, ['email'], [email]],
    ]);
    return rows.map(storedUser);
  }

  /** @param record JSON text. */
  async put(id: string, number: number | null, record: string): Promise<void> {
    await this.client.query(WRITE, [this.connection, id, number, record]);
  }

  async count({ created, updated }: UserCounts): Promise<void> {
    for (const [operation, count] of Object.entries({ created, updated }))
      if (count > 0) await this.client.query(COUNT, [this.connection, operation, count]);
  }
}
