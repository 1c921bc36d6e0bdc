import type { WarehouseFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

/** As published by version 0.1.0. Never changed; what later versions publish is added. */
export const WAREHOUSE_FACTS = [
  {
    fact: {
      position: 20,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 1,
      type: 'WarehouseCreated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:20.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-20',
      causation: 'command-20',
      data: {
        id: '0mi8wdg5c3x1k7q9a2b4',
        platform: 'PostgreSQL',
        settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
        mcpSettings: null,
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      mcpSettings: null,
      kind: 'warehouse',
      version: 1,
      mode: 'Normal',
    },
  },
  {
    fact: {
      position: 21,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 2,
      type: 'WarehouseSettingsChanged',
      schemaVersion: 1,
      time: '2026-11-21T05:00:21.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-21',
      causation: 'command-21',
      data: {
        settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
        mcpSettings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      mcpSettings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      kind: 'warehouse',
      version: 2,
      mode: 'Normal',
    },
  },
  {
    fact: {
      position: 22,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 3,
      type: 'WarehouseModeChanged',
      schemaVersion: 1,
      time: '2026-11-21T05:00:22.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-22',
      causation: 'command-22',
      data: {
        from: 'Normal',
        to: 'Inspection',
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      mcpSettings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      kind: 'warehouse',
      version: 3,
      mode: 'Inspection',
    },
  },
  {
    fact: {
      position: 23,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 4,
      type: 'WarehouseRepaired',
      schemaVersion: 1,
      time: '2026-11-21T05:00:23.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-23',
      causation: 'command-23',
      data: {
        made: ['events'],
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      mcpSettings: 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E',
      kind: 'warehouse',
      version: 4,
      mode: 'Inspection',
    },
  },
] satisfies readonly Released<WarehouseFact>[];

/** As published since secrets are sealed under data keys. */
export const SEALED_WAREHOUSE_FACTS = [
  {
    fact: {
      position: 33,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 1,
      type: 'WarehouseCreated',
      schemaVersion: 1,
      time: '2026-11-21T22:00:33.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-33',
      causation: 'command-33',
      data: {
        id: '0mi8wdg5c3x1k7q9a2b4',
        platform: 'PostgreSQL',
        settings: 'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
        mcpSettings: null,
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
      mcpSettings: null,
      kind: 'warehouse',
      version: 1,
      mode: 'Normal',
    },
  },
  {
    fact: {
      position: 34,
      stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
      version: 2,
      type: 'WarehouseSettingsChanged',
      schemaVersion: 1,
      time: '2026-11-21T22:00:34.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-34',
      causation: 'command-34',
      data: {
        settings:
          'v2:0mi8wdgdk1l2m3n4o5p6:WCAxOscFhetJifKU643rCaIkGA_LGaiWI9GRHwZNRNDnq6dLqCIlkTLI',
        mcpSettings:
          'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      platform: 'PostgreSQL',
      settings: 'v2:0mi8wdgdk1l2m3n4o5p6:WCAxOscFhetJifKU643rCaIkGA_LGaiWI9GRHwZNRNDnq6dLqCIlkTLI',
      mcpSettings:
        'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
      kind: 'warehouse',
      version: 2,
      mode: 'Normal',
    },
  },
] satisfies readonly Released<WarehouseFact>[];

const STREAM = {
  stream: 'warehouse-0mi8wdg5c3x1k7q9a2b4',
  schemaVersion: 1,
  actor: '0mi8wdg9k1l2m3n4o5p6',
} as const;

const CREATED = {
  id: '0mi8wdg5c3x1k7q9a2b4',
  platform: 'PostgreSQL',
  settings: 'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
  mcpSettings: null,
} as const;

const CHANGE = {
  version: 2,
  schema:
    '{"kind":"object","properties":[{"name":"mail","type":{"kind":"string"},"readOptional":true,"description":""}]}',
  primarySources: { mail: '0mi8wdgek1l2m3n4o5p6' },
  rePaths: { mail: 'email' },
  startedAt: '2026-11-25T03:00:00.000Z',
} as const;

const ENDED = { version: 2, endedAt: '2026-11-25T03:00:01.000Z', error: null } as const;

/** As published since the schema of profiles can be changed. */
export const PROFILE_SCHEMA_FACTS = [
  {
    fact: {
      ...STREAM,
      position: 40,
      version: 1,
      type: 'WarehouseCreated',
      time: '2026-11-25T02:00:00.000Z',
      requestId: 'request-40',
      causation: 'command-40',
      data: CREATED,
    },
    state: { ...CREATED, kind: 'warehouse', version: 1, mode: 'Normal' },
  },
  {
    fact: {
      ...STREAM,
      position: 41,
      version: 2,
      type: 'ProfileSchemaChangeStarted',
      time: '2026-11-25T03:00:00.000Z',
      requestId: 'request-41',
      causation: 'command-41',
      data: CHANGE,
    },
    state: {
      ...CREATED,
      kind: 'warehouse',
      version: 2,
      mode: 'Normal',
      profileChange: { ...CHANGE, endedAt: null },
    },
  },
  {
    fact: {
      ...STREAM,
      position: 42,
      version: 3,
      type: 'ProfileSchemaChangeEnded',
      time: '2026-11-25T03:00:01.000Z',
      requestId: 'request-41',
      causation: 'command-42',
      data: ENDED,
    },
    state: {
      ...CREATED,
      kind: 'warehouse',
      version: 3,
      mode: 'Normal',
      profileChange: { ...ENDED, startedAt: CHANGE.startedAt },
      profiles: {
        version: CHANGE.version,
        schema: CHANGE.schema,
        primarySources: CHANGE.primarySources,
      },
    },
  },
] satisfies readonly Released<WarehouseFact>[];
