import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import { SnowflakeSession, type SnowflakeTarget } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import { randomBytes } from 'node:crypto';
import type { ShownIdentity } from '../platform/memory-writer.fixture';
import type { WriterOptions } from '../platform/warehouse-writer';
import { MINE, type Written } from '../platform/warehouse-writer.contract';
import { tablesOf } from './layout/tables';
import { SnowflakeWarehouse } from './platform/snowflake-warehouse';
import { type Place, qualified } from './sql/names';
import { SnowflakeWriter } from './writing/snowflake-writer';

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

export const LOCAL_SOCKETS = createGuardedSockets(['127.0.0.0/8']);

/** Longer than any spec. */
const lasting = (): AbortSignal => AbortSignal.timeout(2_147_483_647);

/** Opens a stand-in for the specs of a file, and ends it after them. @returns it, while they run */
export const snowflakeOfSpecs = (): (() => LocalSnowflake) => {
  let server: LocalSnowflake;
  beforeAll(async () => {
    server = await startSnowflake();
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => server.stop());
  return () => server;
};

type Row = readonly (string | null)[];

/** A schema of its own in a stand-in, with a look behind the warehouse. */
export class SnowflakeStage {
  /** @param makes whether the schema is made; else only its name is known. */
  static async open(server: LocalSnowflake, makes = true): Promise<SnowflakeStage> {
    const schema = `WAREHOUSE_${randomBytes(6).toString('hex').toUpperCase()}`;
    const { port, username, password, role, warehouse, database } = server;
    const target: SnowflakeTarget = {
      ...{ url: `http://127.0.0.1:${String(port)}`, account: 'acme-eu', username, password },
      ...{ role, warehouse, database, schema },
    };
    const call = { sockets: LOCAL_SOCKETS, signal: lasting() };
    const owner = await SnowflakeSession.open({ ...target, schema: server.schema }, call);
    const stage = new SnowflakeStage(target, owner, { database, schema });
    if (makes) await stage.rows(`CREATE SCHEMA "${database}"."${schema}"`);
    return stage;
  }

  private constructor(
    readonly target: SnowflakeTarget,
    readonly owner: SnowflakeSession,
    readonly place: Place,
  ) {}

  rows(statement: string): Promise<readonly Row[]> {
    return this.owner.rows(statement);
  }

  /** A table or a view as SQL. */
  at(name: string): string {
    return qualified(this.place, name);
  }

  async initialise(workspace: WorkspaceId): Promise<void> {
    await this.as((warehouse) => warehouse.initialise(workspace));
  }

  /** Does something with the warehouse, on sessions of its own. */
  async as<T>(work: (warehouse: SnowflakeWarehouse) => Promise<T>, signal = lasting()): Promise<T> {
    const warehouse = await SnowflakeWarehouse.connect(this.target, LOCAL_SOCKETS, signal);
    try {
      return await work(warehouse);
    } finally {
      await warehouse.close();
    }
  }

  writer(options: WriterOptions, signal = lasting()): Promise<SnowflakeWriter> {
    return SnowflakeWriter.open(this.target, LOCAL_SOCKETS, options, signal);
  }

  close(): Promise<void> {
    return this.owner.close();
  }
}

/** Microseconds of a moment as the protocol has it: seconds since 1970, and the zone. */
const microsecondsOf = (cell: string | null): bigint => {
  const [seconds = ''] = (cell ?? '').split(' ');
  const [whole = '0', fraction = ''] = seconds.split('.');
  const micros = BigInt(`${whole.replace('-', '')}${fraction.padEnd(6, '0').slice(0, 6)}`);
  return whole.startsWith('-') ? -micros : micros;
};

const OWN = ['_PIPELINE', '_CONNECTION', '_RECORD_ID', '_ANONYMOUS', '_ANONYMOUS_IDS'];
const ALSO = ['_PREVIOUS_IDS', '_UPDATED_AT', '_RUN'];
const VALUES = ['EMAIL', 'FIRST_NAME', 'LAST_NAME'];

const shown = (row: Row): ShownIdentity => {
  const [pipeline, connection, recordId, anonymous, anonymousIds, previousIds, at, run] = row;
  const values = VALUES.flatMap((name, index) => {
    const value = row[OWN.length + ALSO.length + index] ?? null;
    return value === null ? [] : [[name.toLowerCase(), value] as const];
  });
  return {
    ...{ pipeline: String(pipeline), connection: String(connection), recordId: String(recordId) },
    anonymous: anonymous === '1',
    anonymousIds: JSON.parse(String(anonymousIds)) as string[],
    previousIds: JSON.parse(String(previousIds)) as string[],
    updatedAtUs: microsecondsOf(at ?? null),
    run: run ?? null,
    values: Object.fromEntries(values),
  };
};

/** A warehouse on Snowflake for the contract of writers. */
export interface WrittenStage extends Written {
  readonly stage: SnowflakeStage;
  open(options: WriterOptions): Promise<SnowflakeWriter>;
  /** Leaves it as it was made. */
  empty(): Promise<void>;
}

export const writtenStage = async (
  server: LocalSnowflake,
  owner: WorkspaceId,
): Promise<WrittenStage> => {
  const stage = await SnowflakeStage.open(server);
  await stage.initialise(owner);
  return {
    stage,
    open: (options) => stage.writer(options),
    identities: async () => {
      const names = [...OWN, ...ALSO, ...VALUES].map((name) => `"${name}"`).join(', ');
      const rows = await stage.rows(
        `SELECT ${names} FROM ${stage.at('IDENTITIES')} ORDER BY "_ID"`,
      );
      return rows.map(shown);
    },
    stages: async () => {
      const rows = await stage.rows(
        `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = '${stage.place.schema}'`,
      );
      return rows.map(([name]) => String(name)).filter((name) => name.startsWith('_STAGE_'));
    },
    setSchemaVersion: async (version) => {
      await stage.rows(`UPDATE ${stage.at('_META')} SET "SCHEMA_VERSION" = ${String(version)}`);
    },
    empty: async () => {
      for (const { name } of tablesOf([])) await stage.rows(`DELETE FROM ${stage.at(name)}`);
      const { version } = FIRST_PROFILE_SCHEMA;
      await stage.rows(`UPDATE ${stage.at('_META')} SET "SCHEMA_VERSION" = ${String(version)}`);
    },
    close: () => stage.close(),
  };
};

/**
 * One warehouse for the specs of a file, since making one takes the stand-in as long as many specs. It is empty before
 * each of them.
 *
 * @returns it, while they run; closing it does nothing.
 */
export const writtenOfSpecs = (server: () => LocalSnowflake): (() => WrittenStage) => {
  let written: WrittenStage;
  beforeAll(async () => {
    written = await writtenStage(server(), MINE);
  });
  beforeEach(() => written.empty());
  afterAll(() => written.close());
  return () => ({ ...written, close: () => Promise.resolve() });
};
