import type { WorkspaceFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

/** As published by version 0.1.0. Never changed; what later versions publish is added. */
export const WORKSPACE_FACTS = [
  {
    fact: {
      position: 5,
      stream: 'workspace-0mi8wdg5c3x1k7q9a2b4',
      version: 1,
      type: 'WorkspaceCreated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:05.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-5',
      causation: 'command-5',
      data: {
        id: '0mi8wdg5c3x1k7q9a2b4',
        organization: '0mi8wdg4z0a1b2c3d4e5',
        name: 'Shop',
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      organization: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Shop',
      kind: 'workspace',
      version: 1,
      deleted: false,
    },
  },
  {
    fact: {
      position: 6,
      stream: 'workspace-0mi8wdg5c3x1k7q9a2b4',
      version: 2,
      type: 'WorkspaceRenamed',
      schemaVersion: 1,
      time: '2026-11-21T05:00:06.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-6',
      causation: 'command-6',
      data: {
        name: 'Store',
      },
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      organization: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Store',
      kind: 'workspace',
      version: 2,
      deleted: false,
    },
  },
  {
    fact: {
      position: 7,
      stream: 'workspace-0mi8wdg5c3x1k7q9a2b4',
      version: 3,
      type: 'WorkspaceDeleted',
      schemaVersion: 1,
      time: '2026-11-21T05:00:07.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-7',
      causation: 'command-7',
      data: {},
    },
    state: {
      id: '0mi8wdg5c3x1k7q9a2b4',
      organization: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Store',
      kind: 'workspace',
      version: 3,
      deleted: true,
    },
  },
] satisfies readonly Released<WorkspaceFact>[];
