import type { OrganizationFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

/** As published by version 0.1.0. Never changed; what later versions publish is added. */
export const ORGANIZATION_FACTS = [
  {
    fact: {
      position: 1,
      stream: 'organization-0mi8wdg4z0a1b2c3d4e5',
      version: 1,
      type: 'OrganizationCreated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:01.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-1',
      causation: 'command-1',
      data: {
        id: '0mi8wdg4z0a1b2c3d4e5',
        name: 'Default',
      },
    },
    state: {
      id: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Default',
      kind: 'organization',
      enabled: true,
      apiKeys: [],
    },
  },
  {
    fact: {
      position: 2,
      stream: 'organization-0mi8wdg4z0a1b2c3d4e5',
      version: 2,
      type: 'ApiKeyCreated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:02.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-2',
      causation: 'command-2',
      data: {
        id: '0mi8wdg9k1l2m3n4o5p6',
        name: 'reader',
        scope: 'read',
        workspace: '0mi8wdg5c3x1k7q9a2b4',
        hash: 'S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
        hint: 'pk_1…wxyz',
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
    },
    state: {
      id: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Default',
      kind: 'organization',
      enabled: true,
      apiKeys: [
        {
          id: '0mi8wdg9k1l2m3n4o5p6',
          name: 'reader',
          scope: 'read',
          workspace: '0mi8wdg5c3x1k7q9a2b4',
          hash: 'S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
          hint: 'pk_1…wxyz',
          expiresAt: '2027-01-01T00:00:00.000Z',
        },
      ],
    },
  },
  {
    fact: {
      position: 3,
      stream: 'organization-0mi8wdg4z0a1b2c3d4e5',
      version: 3,
      type: 'ApiKeyRevoked',
      schemaVersion: 1,
      time: '2026-11-21T05:00:03.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-3',
      causation: 'command-3',
      data: {
        id: '0mi8wdg9k1l2m3n4o5p6',
      },
    },
    state: {
      id: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Default',
      kind: 'organization',
      enabled: true,
      apiKeys: [],
    },
  },
  {
    fact: {
      position: 4,
      stream: 'organization-0mi8wdg4z0a1b2c3d4e5',
      version: 4,
      type: 'OrganizationStatusSet',
      schemaVersion: 1,
      time: '2026-11-21T05:00:04.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-4',
      causation: 'command-4',
      data: {
        enabled: false,
      },
    },
    state: {
      id: '0mi8wdg4z0a1b2c3d4e5',
      name: 'Default',
      kind: 'organization',
      enabled: false,
      apiKeys: [],
    },
  },
] satisfies readonly Released<OrganizationFact>[];
