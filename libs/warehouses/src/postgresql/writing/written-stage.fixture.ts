import type { WorkspaceId } from '@penstock/contracts';
import type { Beginning } from '@penstock/test-servers';
import type { ShownIdentity } from '../../platform/memory-writer.fixture';
import type { WarehouseWriter, WriterOptions } from '../../platform/warehouse-writer';
import type { Written } from '../../platform/warehouse-writer.contract';
import { SCHEMA, Stage } from '../stage.fixture';

/** A warehouse on PostgreSQL, with a look behind the writer. */
export interface WrittenStage extends Written {
  readonly stage: Stage;
  readonly loader: string;
  open(options: WriterOptions): Promise<WarehouseWriter>;
  /** After the server was killed. */
  reconnect(): Promise<void>;
}

interface Row {
  readonly [column: string]: unknown;
  readonly _updated_us: string;
}

const shown = ({ _updated_us, ...row }: Row): ShownIdentity => ({
  pipeline: row['_pipeline'] as string,
  connection: row['_connection'] as string,
  recordId: row['_record_id'] as string,
  anonymous: row['_anonymous'] as boolean,
  anonymousIds: row['_anonymous_ids'] as string[],
  previousIds: row['_previous_ids'] as string[],
  updatedAtUs: BigInt(_updated_us),
  run: row['_run'] as string | null,
  values: Object.fromEntries(
    Object.entries(row).filter(([name, value]) => !name.startsWith('_') && value !== null),
  ),
});

/** A warehouse as it is made for a workspace: making it takes as long as most specs of it. */
const warehouseOf = (owner: WorkspaceId): Beginning => ({
  name: `warehouse_of_${owner}`,
  make: (url) =>
    Stage.in(url, async (stage) => {
      const loader = await stage.loader();
      await stage.as(loader, (warehouse) => warehouse.initialise(owner));
    }),
});

/** @param server URL of another one than all specs share. */
export const writtenStage = async (owner: WorkspaceId, server?: string): Promise<WrittenStage> => {
  const stage = await Stage.open(server, warehouseOf(owner));
  const loader = await stage.heir();
  return {
    stage,
    loader,
    open: (options) => stage.writer(loader, options),
    identities: async () => {
      const rows = await stage.rows(
        `SELECT *, (extract(epoch FROM _updated_at)::numeric * 1000000)::bigint AS _updated_us
         FROM ${SCHEMA}.identities ORDER BY _id`,
      );
      return (rows as Row[]).map(shown);
    },
    stages: async () => {
      const rows = await stage.rows(
        `SELECT relname AS name FROM pg_class
         WHERE relnamespace = '${SCHEMA}'::regnamespace AND relname ~ '^_stage_'`,
      );
      return rows.map((row) => (row as { name: string }).name);
    },
    setSchemaVersion: (version) =>
      stage.run(`UPDATE ${SCHEMA}._meta SET schema_version = ${version}`),
    close: () => stage.close(),
    reconnect: () => stage.reconnect(),
  };
};
