import {
  type NewWarehouse,
  Refusal,
  type WarehouseState,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import { type EventStore, FactRow, handleCommand } from '@penstock/event-sourcing';
import { CannotStart, newId, type Seals } from '@penstock/runtime';
import { isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import { settingsOfUrl } from '@penstock/warehouses';
import type { EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import type { DataKeys } from '../data-keys/data-keys';
import {
  type WarehouseCommand,
  warehouseDecider,
  warehouseStream,
} from '../domain/warehouse.decide';
import { workspaceStream } from '../domain/workspace.decide';
import { projectViews } from '../read-model/project-views';
import type { WarehouseChecks } from './warehouse-checks';

/** The warehouse that the operator has set for the first workspace. */
export interface FirstWarehouse {
  /** Absent: a workspace without a warehouse stays without one. */
  readonly url?: string | undefined;
  /** The warehouse in the embedded database, whose port changes with each start. */
  readonly embeddedUrl?: string | undefined;
}

type Store = EventStore<EntityManager>;

const PLATFORM = 'PostgreSQL';

/** The oldest workspace; undefined when it was deleted. */
const firstWorkspace = async (store: Store): Promise<WorkspaceId | undefined> => {
  const first = await store.db.findOne(FactRow, {
    where: { type: 'WorkspaceCreated' },
    order: { position: 'ASC' },
  });
  if (first === null) return undefined;
  const [workspace] = await store.read<WorkspaceState>([first.stream]);
  if (workspace?.state?.deleted === true) return undefined;
  return first.stream.slice(workspaceStream('').length) as WorkspaceId;
};

const record = async (
  store: Store,
  workspace: WorkspaceId,
  command: WarehouseCommand,
  commandId: string,
): Promise<void> => {
  const cause = { commandId, actor: 'system', requestId: commandId };
  await handleCommand(store, cause, projectViews, async (reading) => {
    const own = await load(reading, warehouseDecider, warehouseStream(workspace));
    return { streams: [appendTo(own, warehouseDecider.decide(command, own.state))], reply: {} };
  });
};

/** Message and details of a refusal, for the operator. */
const reasonOf = (refusal: Refusal): string =>
  [refusal.message, ...refusal.details.map(({ message }) => message)].join(': ');

const create = async (
  store: Store,
  checks: WarehouseChecks,
  seals: Seals,
  wanted: NewWarehouse,
): Promise<void> => {
  try {
    const { warehouse } = await checks.create(seals, wanted);
    await record(
      store,
      wanted.id,
      { type: 'CreateWarehouse', warehouse },
      `warehouse-${wanted.id}`,
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new CannotStart(
      `PENSTOCK_WAREHOUSE_URL cannot be used: ${reasonOf(error)}: correct it, or start its server`,
      { cause: error },
    );
  }
};

/** The settings with the present port of the embedded database; undefined when they are of another database. */
const moved = (present: JsonObject, embedded: JsonObject): JsonObject | undefined => {
  const isEmbedded = ['host', 'username', 'database', 'schema'].every(
    (name) => present.get(name) === embedded.get(name),
  );
  const port = embedded.get('port');
  return isEmbedded && port !== undefined ? new Map([...present, ['port', port]]) : undefined;
};

const follow = async (
  store: Store,
  seals: Seals,
  { id, settings, mcpSettings }: WarehouseState,
  embeddedUrl: string,
): Promise<void> => {
  const embedded = settingsOfUrl(embeddedUrl);
  const atPort = (sealed: string): string => {
    const text = seals.open(sealed, id);
    const present = parseJson(text);
    const now = isJsonObject(present) ? moved(present, embedded) : undefined;
    return now === undefined || writeJson(now) === text ? sealed : seals.seal(writeJson(now), id);
  };
  const access = {
    settings: atPort(settings),
    mcpSettings: mcpSettings === null ? null : atPort(mcpSettings),
  };
  await record(store, id, { type: 'UpdateWarehouse', access }, newId());
};

/**
 * Creates the warehouse of the first workspace if it has none, and updates the port of one in the embedded database.
 *
 * @throws CannotStart with the reason why the URL cannot be used; nothing was created then.
 */
export const provideFirstWarehouse = async (
  store: Store,
  checks: WarehouseChecks,
  dataKeys: DataKeys,
  { url, embeddedUrl }: FirstWarehouse,
): Promise<void> => {
  const id = await firstWorkspace(store);
  if (id === undefined) return;
  const seals = await dataKeys.of(store.db, id);
  const { state } = await load(store, warehouseDecider, warehouseStream(id));
  if (state !== null && embeddedUrl !== undefined) await follow(store, seals, state, embeddedUrl);
  const named = url ?? embeddedUrl;
  if (state !== null || named === undefined) return;
  const settings = seals.seal(writeJson(settingsOfUrl(named)), id);
  await create(store, checks, seals, { id, platform: PLATFORM, settings, mcpSettings: null });
};
