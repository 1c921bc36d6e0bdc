import type { PipelineId, WarehouseState, WorkspaceId } from '@penstock/contracts';
import type { EventStore, Stream } from '@penstock/event-sourcing';
import { WarehouseFault, type WarehousePlatform, type Writer } from '@penstock/warehouses';
import type { EntityManager } from 'typeorm';
import type { DataKeys } from '../data-keys/data-keys';
import { LateWrites } from './late-writes';
import type { WarehouseChecks } from './warehouse-checks';

/** Milliseconds of the database's clock, by which executors claim erasures and removals. */
const NOW_MS = 1_750_000_000_000;

const warehouse = (members: Partial<WarehouseState> = {}): WarehouseState => ({
  kind: 'warehouse',
  id: 'workspace1' as WorkspaceId,
  version: 5,
  platform: 'PostgreSQL',
  settings: 'sealed',
  mcpSettings: null,
  mode: 'Inspection',
  ...members,
});

/** Keeps late writes out of a warehouse. @returns what became of the roles of its writers, in order */
const keptOut = async (
  state: WarehouseState | null,
  openWriter?: () => Promise<never>,
): Promise<readonly string[]> => {
  const done: string[] = [];
  const begin =
    (what: string) =>
    ({ role, epoch }: Writer, of?: PipelineId | object): Promise<void> => {
      const detail = of === undefined ? '' : ` ${JSON.stringify(of)}`;
      done.push(`${what} ${role} ${String(epoch)}${detail}`);
      return Promise.resolve();
    };
  const writer = {
    beginEvents: begin('events as'),
    beginErasure: begin('erasure as'),
    beginRemoval: begin('removal as'),
    close: () => {
      done.push('closed');
      return Promise.resolve();
    },
  };
  const platform = { openWriter: openWriter ?? (() => Promise.resolve(writer)) };
  const store = {
    db: { query: () => Promise.resolve([{ epoch: NOW_MS }]) },
    read: (streams: readonly string[]) =>
      Promise.resolve(streams.map((): Stream<unknown> => ({ state, version: 5 }))),
  } as unknown as EventStore<EntityManager>;
  const checks = {
    open: () => ({ platform: platform as unknown as WarehousePlatform, settings: new Map() }),
  } as unknown as WarehouseChecks;
  const dataKeys = { of: () => Promise.resolve({ keyedHash: String }) } as unknown as DataKeys;
  await new LateWrites(store, checks, dataKeys).keepOut('workspace1');
  return done;
};

const FENCED = [
  'events as events 5',
  `erasure as erasure ${String(NOW_MS)} {"id":"","profile":""}`,
  `removal as removal ${String(NOW_MS)} ""`,
  'closed',
];

it.each(['Inspection', 'Maintenance'] as const)(
  'events, erasures and removals of before are kept out in mode %s',
  async (mode) => {
    expect(await keptOut(warehouse({ mode }))).toEqual(FENCED);
  },
);

it('writers of a warehouse in mode Normal are left alone, and of none', async () => {
  expect(await keptOut(warehouse({ mode: 'Normal' }))).toEqual([]);
  expect(await keptOut(null)).toEqual([]);
});

it('a warehouse that cannot be reached does not fail the change, another error does', async () => {
  const failing = (error: Error) => () => Promise.reject(error);
  const fault = new WarehouseFault('unreachable', 'away');
  expect(await keptOut(warehouse(), failing(fault))).toEqual([]);
  await expect(keptOut(warehouse(), failing(new Error('a bug')))).rejects.toThrow('a bug');
});
