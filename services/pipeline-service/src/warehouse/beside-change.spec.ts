import type {
  ConnectionId,
  Instant,
  ResolutionSettings,
  WarehouseFact,
  WaitingResolution,
  WorkspaceId,
} from '@penstock/contracts';
import { existingWarehouse } from '@penstock/contracts';
import { type Warehouse, warehouseDecider } from '../domain/warehouse.decide';
import { resolutionAfter } from './beside-change';

const AT = '2026-11-25T03:00:00.000Z' as Instant;

const schemaOf = (...names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

const SETTINGS: ResolutionSettings = {
  runOnBatchImport: true,
  eventDelay: 60,
  identifiers: ['email'],
  blockedValues: {},
};

const NAMES = ['email', 'first_name', 'last_name'];

/** What the change asks for, once it has ended. */
const askedFor = (
  names: readonly string[],
  rePaths: Record<string, string | null> = {},
  primarySources: Record<string, string> = {},
  error: string | null = null,
): WaitingResolution | undefined => {
  const after = (state: Warehouse, ...facts: readonly WarehouseFact[]): Warehouse =>
    facts.reduce(warehouseDecider.evolve, state);
  const sources = primarySources as Record<string, ConnectionId>;
  const before = after(
    null,
    {
      type: 'WarehouseCreated',
      data: { id: 'w1' as WorkspaceId, platform: 'PostgreSQL', settings: 's', mcpSettings: null },
    },
    { type: 'ResolutionSettingsSet', data: SETTINGS },
    {
      type: 'ProfileSchemaChangeStarted',
      data: {
        version: 2,
        schema: schemaOf(...names),
        primarySources: sources,
        rePaths,
        startedAt: AT,
      },
    },
  );
  const end: WarehouseFact = {
    type: 'ProfileSchemaChangeEnded',
    data: { version: 2, endedAt: AT, error },
  };
  return resolutionAfter(existingWarehouse(before), existingWarehouse(after(before, end)));
};

const schema = { trigger: 'Schema', full: false };
const settings = { trigger: 'Settings', full: true };

it('the end of a change asks for what it concerns', () => {
  expect(askedFor(NAMES)).toBeUndefined();
  expect(askedFor([...NAMES].reverse())).toBeUndefined();
  expect(askedFor(['mail', 'first_name', 'last_name'], { mail: 'email' })).toBeUndefined();
  expect(askedFor([...NAMES, 'phone'])).toEqual(schema);
  expect(askedFor(['email', 'first_name'])).toEqual(schema);
  expect(askedFor(NAMES, { last_name: null })).toEqual(schema);
});

it('asks for everything anew where an identifier is gone, or other sources are preferred', () => {
  expect(askedFor(['first_name', 'last_name'])).toEqual(settings);
  expect(askedFor(NAMES, { email: null })).toEqual(settings);
  expect(askedFor(NAMES, {}, { email: 'source' })).toEqual(settings);
});

it('asks for nothing when it has failed', () => {
  expect(askedFor(['first_name'], {}, {}, 'interrupted')).toBeUndefined();
});

it('a step that is no end asks for nothing', () => {
  const state = warehouseDecider.evolve(null, {
    type: 'WarehouseCreated',
    data: { id: 'w1' as WorkspaceId, platform: 'PostgreSQL', settings: 's', mcpSettings: null },
  });
  const warehouse = existingWarehouse(state);
  expect(resolutionAfter(warehouse, warehouse)).toBeUndefined();
});
