import type { ResolutionFact, WarehouseFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

const WORKSPACE = '0mi8wdg5c3x1k7q9a2b4';

const STREAM = { stream: `resolution-${WORKSPACE}`, schemaVersion: 1, actor: 'system' } as const;

const OF = { kind: 'resolution', id: WORKSPACE } as const;

const STARTED = {
  resolution: '0mi8wdgh1b3c5d7e9f0g',
  trigger: 'Settings',
  full: true,
  startedAt: '2026-11-26T03:00:01.000Z',
  actor: 'system',
} as const;

/** As the first version with it publishes them. Never changed; what later versions publish is added. */
export const RESOLUTION_FACTS = [
  {
    fact: {
      ...STREAM,
      position: 50,
      version: 1,
      type: 'ResolutionTriggered',
      time: '2026-11-26T03:00:00.000Z',
      requestId: 'request-50',
      causation: 'command-50',
      data: { id: WORKSPACE, trigger: 'Settings', full: true },
    },
    state: { ...OF, version: 1, live: null, waiting: { trigger: 'Settings', full: true } },
  },
  {
    fact: {
      ...STREAM,
      position: 51,
      version: 2,
      type: 'ResolutionStarted',
      time: '2026-11-26T03:00:01.000Z',
      requestId: 'request-51',
      causation: 'command-51',
      data: { id: WORKSPACE, ...STARTED },
    },
    state: { ...OF, version: 2, live: { ...STARTED, cancelled: false }, waiting: null },
  },
  {
    fact: {
      ...STREAM,
      position: 52,
      version: 3,
      type: 'ResolutionCancelRequested',
      time: '2026-11-26T03:00:02.000Z',
      requestId: 'request-52',
      causation: 'command-52',
      data: { resolution: STARTED.resolution },
    },
    state: { ...OF, version: 3, live: { ...STARTED, cancelled: true }, waiting: null },
  },
  {
    fact: {
      ...STREAM,
      position: 53,
      version: 4,
      type: 'ResolutionEnded',
      time: '2026-11-26T03:00:03.000Z',
      requestId: 'request-53',
      causation: 'command-53',
      data: {
        resolution: STARTED.resolution,
        status: 'Cancelled',
        error: '',
        endedAt: '2026-11-26T03:00:03.000Z',
      },
    },
    state: { ...OF, version: 4, live: null, waiting: null, isFullOwed: true },
  },
] satisfies readonly Released<ResolutionFact>[];

const CREATED = {
  id: WORKSPACE,
  platform: 'PostgreSQL',
  settings: 'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k',
  mcpSettings: null,
} as const;

const SETTINGS = {
  runOnBatchImport: true,
  eventDelay: null,
  identifiers: ['email'],
  blockedValues: {
    email: 'v2:0mi8wdgdk1l2m3n4o5p6:WCAxOscFhetJifKU643rCaIkGA_LGaiWI9GRHwZNRNDnq6dLqCIlkTLI',
  },
} as const;

/** As published since it can be set how identities are resolved. */
export const RESOLUTION_SETTINGS_FACTS = [
  {
    fact: {
      ...STREAM,
      stream: `warehouse-${WORKSPACE}`,
      position: 60,
      version: 1,
      type: 'WarehouseCreated',
      time: '2026-11-26T03:10:00.000Z',
      requestId: 'request-60',
      causation: 'command-60',
      data: CREATED,
    },
    state: { ...CREATED, kind: 'warehouse', version: 1, mode: 'Normal' },
  },
  {
    fact: {
      ...STREAM,
      stream: `warehouse-${WORKSPACE}`,
      position: 61,
      version: 2,
      type: 'ResolutionSettingsSet',
      time: '2026-11-26T03:11:00.000Z',
      requestId: 'request-61',
      causation: 'command-61',
      data: SETTINGS,
    },
    state: { ...CREATED, kind: 'warehouse', version: 2, mode: 'Normal', resolution: SETTINGS },
  },
] satisfies readonly Released<WarehouseFact>[];
