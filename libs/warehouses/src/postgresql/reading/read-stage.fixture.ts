import type { Schema } from '@penstock/schema';
import { escapeLiteral } from 'pg';
import { profileId, PROFILES } from '../../platform/profiles.fixture';
import type { PutIdentity, ReadStage } from '../../platform/read-stage.fixture';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { READER_OPTIONS } from '../../platform/warehouse-reader.contract';
import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { valueAt } from '../../profiles/value-columns';
import { arrayText, columnText } from '../columns/copy-text';
import { profileColumns } from '../columns/profile-columns';
import { LAYOUT } from '../layout/marker';
import { list } from '../sql/names';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

const COLUMNS = profileColumns(PROFILES.schema);

const TABLES = [
  ...['_profiles', '_profile_aliases', '_identities', '_events', '_fences', '_outbox'],
  ...['_profile_history', '_dirty', '_identity_keys'],
];

/** A warehouse on PostgreSQL, whose rows are put in by SQL. */
export class PostgresqlReadStage implements ReadStage {
  static async open(schema: Schema = PROFILES.schema): Promise<PostgresqlReadStage> {
    const written = await writtenStage(MINE);
    const profiles = { ...PROFILES, schema };
    await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, profiles));
    return new PostgresqlReadStage(written);
  }

  private readonly end = new AbortController();

  private constructor(private readonly written: WrittenStage) {}

  reader: ReadStage['reader'] = (options = {}): Promise<WarehouseReader> =>
    this.written.stage.reader(
      this.written.loader,
      { ...READER_OPTIONS, ...options },
      this.end.signal,
    );

  empty(): Promise<void> {
    return this.run(
      `TRUNCATE ${TABLES.join(', ')}`,
      `UPDATE _meta SET workspace = '${MINE}', layout = ${String(LAYOUT)}, schema_version = ${String(PROFILES.version)}`,
    );
  }

  async putProfiles(profiles: Parameters<ReadStage['putProfiles']>[0]): Promise<void> {
    const rows = profiles.map(({ id, updatedAt, attributes }) => {
      const values = COLUMNS.map(({ path, type }) => {
        const value = valueAt(attributes, path) ?? null;
        return value === null ? 'NULL' : escapeLiteral(columnText(type, value));
      });
      return `('${id}', '2026-03-01T09:00Z', '${updatedAt}', 1, ${values.join(', ')})`;
    });
    const names = ['_profile_id', '_created_at', '_updated_at', '_identities'];
    const all = list([...names, ...COLUMNS.map(({ name }) => name)]);
    await this.run(`INSERT INTO _profiles (${all}) VALUES ${rows.join(', ')}`);
  }

  putAliases: ReadStage['putAliases'] = (aliases) =>
    this.run(
      `INSERT INTO _profile_aliases (alias, profile_id) VALUES ${aliases
        .map(([alias, profile]) => `('${alias}', '${profile}')`)
        .join(', ')}`,
    );

  putIdentities: ReadStage['putIdentities'] = (identities) =>
    this.run(
      `INSERT INTO _identities (_connection, _pipeline, _record_id, _anonymous, _updated_at, _anonymous_ids, _profile_id)
       VALUES ${identities.map(identityRow).join(', ')}`,
    );

  async putEvents(events: Parameters<ReadStage['putEvents']>[0]): Promise<void> {
    const writer = await this.written.open(OPTIONS);
    const session = await writer.beginEvents({ role: 'events', epoch: 1 });
    await session.write(events.map(({ event }) => event));
    await writer.close();
    for (const { event, profile } of events)
      if (profile !== undefined)
        await this.run(
          `UPDATE _events SET profile_id = '${profile}'
           WHERE message_id = ${escapeLiteral(event['messageId'] as string)}`,
        );
  }

  putKeys: ReadStage['putKeys'] = (keys) =>
    this.run(
      `INSERT INTO _identity_keys (identity, kind, key, mask) VALUES ${keys
        .map(
          ({ identity, kind, key, mask }) =>
            `(${identity}, '${kind}', ${escapeLiteral(key)}, ${String(mask)})`,
        )
        .join(', ')}`,
    );

  putHistory: ReadStage['putHistory'] = (past) =>
    this.run(
      `INSERT INTO _profile_history (profile_id, id, at, fact) VALUES ${past
        .map(
          ({ profile, number, at, fact }) =>
            `('${profile}', ${String(number)}, '${at}', ${escapeLiteral(JSON.stringify(fact))})`,
        )
        .join(', ')}`,
    );

  async putResolved({ facts, unresolved }: Parameters<ReadStage['putResolved']>[0]): Promise<void> {
    for (const fact of facts)
      await this.run(
        `INSERT INTO _outbox (profile_id, fact) VALUES ('${profileId(0)}', ${escapeLiteral(JSON.stringify(fact))})`,
      );
    for (const [identity, profile] of unresolved)
      await this.run(
        `INSERT INTO _dirty (identity, profile_id)
         VALUES (${String(identity)}, ${profile === null ? 'NULL' : `'${profile}'`})`,
      );
  }

  takeProfiles: ReadStage['takeProfiles'] = (ids) =>
    this.run(
      `DELETE FROM _profiles WHERE _profile_id IN (${ids.map((id) => `'${id}'`).join(', ')})`,
    );

  async mark({
    workspace,
    layout,
    schemaVersion,
  }: Parameters<ReadStage['mark']>[0]): Promise<void> {
    if (workspace !== undefined) await this.run(`UPDATE _meta SET workspace = '${workspace}'`);
    if (layout !== undefined) await this.run(`UPDATE _meta SET layout = ${String(layout)}`);
    if (schemaVersion !== undefined)
      await this.run(`UPDATE _meta SET schema_version = ${String(schemaVersion)}`);
  }

  keepOut: ReadStage['keepOut'] = (epoch) =>
    this.written.stage.as(this.written.loader, (warehouse) =>
      warehouse.keepReadersOut(MINE, { epoch, graceMs: 100 }),
    );

  async close(): Promise<void> {
    this.end.abort();
    await this.written.close();
  }

  private run(...statements: readonly string[]): Promise<void> {
    return this.written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);
  }
}

const identityRow = ({
  connection,
  recordId,
  updatedAt,
  anonymous = false,
  anonymousIds = [],
  profile,
}: PutIdentity): string =>
  `(${[
    ...[escapeLiteral(connection), `'p'`, escapeLiteral(recordId), String(anonymous)],
    ...[`'${updatedAt}'`, `${escapeLiteral(arrayText(anonymousIds))}::text[]`],
    profile === undefined ? 'NULL' : `'${profile}'`,
  ].join(', ')})`;
