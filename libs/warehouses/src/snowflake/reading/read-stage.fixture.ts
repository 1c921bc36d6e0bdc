import type { WorkspaceId } from '@penstock/contracts';
import { PROFILES } from '../../platform/profiles.fixture';
import type { PutIdentity, ReadStage } from '../../platform/read-stage.fixture';
import { READER_OPTIONS } from '../../platform/warehouse-reader.contract';
import { EVENT_COLUMNS } from '../layout/event-columns';
import type { TableDefinition } from '../layout/table-definition';
import { LAYOUT } from '../layout/marker';
import { META_TABLE, tablesOf } from '../layout/tables';
import { COLUMNS, profileRow } from '../profiles.fixture';
import {
  cellOf,
  jsonCell,
  momentCell,
  numberCell,
  putRows,
  type PutRow,
  recordCells,
  textCell,
} from '../put-rows.fixture';
import { list, type Place, qualified } from '../sql/names';
import { Sessions } from '../sessions/sessions';
import { LOCAL_SOCKETS, SnowflakeStand } from '../stand.fixture';
import { READING } from './reading-sessions';
import { SnowflakeReader } from './snowflake-reader';

const createTable = (place: Place, { name, columns }: TableDefinition): string => {
  const all = columns.map(
    ({ name: column, type, required }) =>
      `${list([column])} ${type}${required === true ? ' NOT NULL' : ''}`,
  );
  return `CREATE TABLE ${qualified(place, name)} (${all.join(', ')})`;
};

const TABLES = [META_TABLE, ...tablesOf(COLUMNS)];

const MADE = new Date().toISOString();

const identityRow = (
  { connection, recordId, updatedAt, anonymous = false, anonymousIds, profile }: PutIdentity,
  number: number,
): PutRow => ({
  _ID: numberCell(number),
  _CONNECTION: textCell(connection),
  _PIPELINE: textCell('p'),
  _RECORD_ID: textCell(recordId),
  _ANONYMOUS: cellOf({ kind: 'boolean' }, anonymous),
  _UPDATED_AT: momentCell(updatedAt),
  ...(anonymousIds !== undefined && { _ANONYMOUS_IDS: jsonCell(anonymousIds, 'ARRAY') }),
  ...(profile !== undefined && { _PROFILE_ID: textCell(profile) }),
});

/** A warehouse in the stand-in, whose rows are put in by SQL. */
export class SnowflakeReadStage implements ReadStage {
  static async open(): Promise<SnowflakeReadStage> {
    const stand = await SnowflakeStand.open();
    const { database, schema } = stand.server;
    const place = { database, schema };
    await stand.run(...TABLES.map((table) => createTable(place, table)));
    return new SnowflakeReadStage(stand, place);
  }

  private identities = 0;

  private constructor(
    readonly stand: SnowflakeStand,
    readonly place: Place,
  ) {}

  reader: ReadStage['reader'] = async (options = {}) => {
    const { workspace, epoch, connections } = { ...READER_OPTIONS, ...options };
    const use = { ...READING, max: connections };
    const { target, signal } = this.stand;
    const sessions = await Sessions.open(target, LOCAL_SOCKETS, use, signal);
    return new SnowflakeReader(sessions, workspace, epoch);
  };

  async empty(): Promise<void> {
    await this.stand.run(...TABLES.map(({ name }) => `DELETE FROM ${this.table(name)}`));
    await this.put('_META', [
      {
        WORKSPACE: textCell(READER_OPTIONS.workspace),
        WAREHOUSE: textCell('00000000-0000-4000-8000-000000000000'),
        LAYOUT: numberCell(LAYOUT),
        CREATED_AT: momentCell(MADE),
        SCHEMA_VERSION: numberCell(PROFILES.version),
      },
    ]);
  }

  putProfiles: ReadStage['putProfiles'] = (profiles) =>
    this.put('_PROFILES', profiles.map(profileRow));

  putAliases: ReadStage['putAliases'] = (aliases) =>
    this.put(
      '_PROFILE_ALIASES',
      aliases.map(([alias, profile]) => ({
        ...{ ALIAS: textCell(alias), PROFILE_ID: textCell(profile) },
      })),
    );

  putIdentities: ReadStage['putIdentities'] = (identities) =>
    this.put(
      '_IDENTITIES',
      identities.map((identity) => identityRow(identity, (this.identities += 1))),
    );

  putEvents: ReadStage['putEvents'] = (events) =>
    this.put(
      '_EVENTS',
      events.map(({ event, profile }) => ({
        ...recordCells(event, EVENT_COLUMNS),
        ...(profile !== undefined && { PROFILE_ID: textCell(profile) }),
      })),
    );

  putKeys: ReadStage['putKeys'] = (keys) =>
    this.put(
      '_IDENTITY_KEYS',
      keys.map(({ identity, kind, key, mask }) => ({
        ...{ IDENTITY: numberCell(Number(identity)), KIND: textCell(kind) },
        ...{ KEY: textCell(key), MASK: numberCell(mask) },
      })),
    );

  putHistory: ReadStage['putHistory'] = (past) =>
    this.put(
      '_PROFILE_HISTORY',
      past.map(({ profile, number, at, fact }) => ({
        ...{ PROFILE_ID: textCell(profile), ID: numberCell(number) },
        ...{ FACT: jsonCell(fact), AT: momentCell(at) },
      })),
    );

  async putResolved({ facts, unresolved }: Parameters<ReadStage['putResolved']>[0]): Promise<void> {
    const at = momentCell(new Date().toISOString());
    await this.put(
      '_OUTBOX',
      facts.map((fact, index) => ({
        ...{ ID: numberCell(index + 1), PROFILE_ID: textCell(''), FACT: jsonCell(fact), AT: at },
      })),
    );
    await this.put(
      '_DIRTY',
      unresolved.map(([identity, profile]) => ({
        ...{ IDENTITY: numberCell(identity), SINCE: at, CHANGE: textCell('changed') },
        ...(profile !== null && { PROFILE_ID: textCell(profile) }),
      })),
    );
  }

  takeProfiles: ReadStage['takeProfiles'] = (ids) =>
    this.stand.run(
      `DELETE FROM ${this.table('_PROFILES')} WHERE "_PROFILE_ID" IN (${ids.map((id) => `'${id}'`).join(', ')})`,
    );

  async mark(marker: {
    readonly workspace?: WorkspaceId;
    readonly layout?: number;
    readonly schemaVersion?: number;
  }): Promise<void> {
    const { workspace, layout, schemaVersion } = marker;
    const meta = this.table('_META');
    if (workspace !== undefined)
      await this.stand.run(`UPDATE ${meta} SET "WORKSPACE" = '${workspace}'`);
    if (layout !== undefined)
      await this.stand.run(`UPDATE ${meta} SET "LAYOUT" = ${String(layout)}`);
    if (schemaVersion !== undefined)
      await this.stand.run(`UPDATE ${meta} SET "SCHEMA_VERSION" = ${String(schemaVersion)}`);
  }

  keepOut: ReadStage['keepOut'] = (epoch) =>
    this.put('_FENCES', [
      {
        ...{ ROLE: textCell('reads'), EPOCH: numberCell(epoch) },
        BEGUN_AT: momentCell(new Date().toISOString()),
      },
    ]);

  close(): Promise<void> {
    return this.stand.close();
  }

  /** A table as SQL. */
  table(name: string): string {
    return qualified(this.place, name);
  }

  put(table: string, rows: readonly PutRow[]): Promise<void> {
    return putRows(this.stand, this.table(table), rows);
  }
}
