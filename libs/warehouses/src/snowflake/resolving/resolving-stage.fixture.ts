import type { LocalSnowflake } from '@penstock/local-snowflake';
import type { StoredRow } from '../../platform/naive-resolution.fixture';
import {
  COLUMNS,
  type EventRow,
  OPTIONS,
  type ProfileRow,
  PROFILES,
  Resolving,
} from '../../platform/resolving.fixture';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import type { IdentityWriter } from '../../platform/warehouse-writer';
import { MINE } from '../../platform/warehouse-writer.contract';
import { OTHERS } from '../merging/merge-identities';
import { READING } from '../reading/reading-sessions';
import { SnowflakeReader } from '../reading/snowflake-reader';
import { Sessions } from '../sessions/sessions';
import { list } from '../sql/names';
import { LOCAL_SOCKETS, type WrittenStage, writtenStage } from '../stage.fixture';
import type { SnowflakeWriter } from '../writing/snowflake-writer';
import { microseconds } from './take-dirty';

type Cell = string | null | undefined;

/** Tables that a resolution may change. */
const CHANGED = [
  '_IDENTITIES',
  '_IDENTITY_KEYS',
  '_PROFILES',
  '_PROFILE_ALIASES',
  '_DIRTY',
  '_MOVING',
  '_OUTBOX',
  '_EVENTS',
];

/** What else is emptied. */
const OTHER = ['_ERASED', '_ERASED_PROFILES', '_ERASURES', '_ERASING', '_PROFILE_HISTORY', '_SEEN'];

const text = (cell: Cell): string => String(cell);
const json = (cell: Cell): unknown => JSON.parse(cell ?? 'null');
const flag = (cell: Cell): boolean => cell === '1';

/** Times by the names of columns on PostgreSQL. */
const times = (cell: Cell): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((json(cell) ?? {}) as Record<string, string>).map(([name, time]) => [
      name === OTHERS ? '*' : name.toLowerCase(),
      time,
    ]),
  );

/** Of columns whose value is not its cell. */
const READ: Readonly<Record<string, (cell: Cell) => unknown>> = {
  _id: Number,
  _identities: Number,
  _created_us: Number,
  _anonymous: flag,
  _previous_ids: (cell) => json(cell) ?? [],
  _anonymous_times: (cell) => json(cell) ?? {},
  _property_times: times,
  tags: json,
  contact_code: (cell) => (cell === null || cell === undefined ? null : Number(cell)),
};

const OWN = ['_id', '_connection', '_pipeline', '_record_id', '_anonymous', '_previous_ids'];
const OF_IDENTITIES = [...OWN, '_anonymous_times', '_property_times', '_profile_id', '_updated_at'];

/** A warehouse on Snowflake with what writes into it, and looks behind it. */
export class ResolvingStage extends Resolving<SnowflakeWriter> {
  static async open(server: LocalSnowflake): Promise<ResolvingStage> {
    const written = await writtenStage(server, MINE);
    await written.stage.as((warehouse) => warehouse.repair(MINE, PROFILES));
    const writers = await written.open(OPTIONS);
    return new ResolvingStage(
      written,
      writers,
      await writers.begin({ role: 'run run1', epoch: 1 }),
    );
  }

  private readonly reading: Sessions[] = [];

  private constructor(
    readonly written: WrittenStage,
    writers: SnowflakeWriter,
    identities: IdentityWriter,
  ) {
    super(writers, identities);
  }

  async rows(): Promise<readonly StoredRow[]> {
    const names = [...OF_IDENTITIES, ...COLUMNS];
    return (await this.select('_IDENTITIES', names, 'ORDER BY "_ID"')) as readonly StoredRow[];
  }

  async profiles(): Promise<readonly ProfileRow[]> {
    const names = ['_profile_id', '_identities', '_updated_at', ...COLUMNS];
    const created = [microseconds('"_CREATED_AT"'), '_created_us'] as const;
    return (await this.select('_PROFILES', names, '', created)) as unknown as readonly ProfileRow[];
  }

  async aliases(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.written.stage.rows(
      `SELECT "ALIAS", "PROFILE_ID" FROM ${this.at('_PROFILE_ALIASES')}`,
    );
    return new Map(rows.map(([alias, profile]) => [text(alias), text(profile)]));
  }

  async events(): Promise<readonly EventRow[]> {
    const names = ['connection_id', 'user_id', 'anonymous_id', 'profile_id'];
    return (await this.select('_EVENTS', names, '')) as unknown as readonly EventRow[];
  }

  async contents(): Promise<unknown> {
    const all: (readonly [string, readonly string[]])[] = [];
    for (const name of CHANGED) {
      const rows = await this.written.stage.rows(`SELECT * FROM ${this.at(name)}`);
      all.push([name, rows.map((row) => JSON.stringify(row)).sort()]);
    }
    return all;
  }

  setSchemaVersion(version: number): Promise<void> {
    return this.written.setSchemaVersion(version);
  }

  async reader(): Promise<WarehouseReader> {
    const { target } = this.written.stage;
    const signal = AbortSignal.timeout(2_147_483_647);
    const sessions = await Sessions.open(target, LOCAL_SOCKETS, { ...READING, max: 1 }, signal);
    this.reading.push(sessions);
    return new SnowflakeReader(sessions, MINE, 1);
  }

  async empty(): Promise<void> {
    for (const name of [...CHANGED, ...OTHER])
      await this.written.stage.rows(`DELETE FROM ${this.at(name)}`);
  }

  async close(): Promise<void> {
    for (const sessions of this.reading) await sessions.close();
    await this.writers.close();
    await this.written.close();
  }

  /** A table as SQL. */
  at(name: string): string {
    return this.written.stage.at(name);
  }

  private async select(
    table: string,
    names: readonly string[],
    order: string,
    ...more: readonly (readonly [sql: string, name: string])[]
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const shown = [list(names.map((name) => name.toUpperCase())), ...more.map(([sql]) => sql)];
    const rows = await this.written.stage.rows(
      `SELECT ${shown.join(', ')} FROM ${this.at(table)} ${order}`,
    );
    const all = [...names, ...more.map(([, name]) => name)];
    return rows.map((row) =>
      Object.fromEntries(
        all.map((name, index) => [name, (READ[name] ?? ((cell: Cell) => cell))(row[index])]),
      ),
    );
  }
}
