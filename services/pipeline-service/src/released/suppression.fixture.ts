import type { SuppressionFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

/** As published by version 0.1.0. Never changed; what later versions publish is added. */
export const SUPPRESSION_FACTS = [
  {
    fact: {
      position: 24,
      stream: 'suppression-S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
      version: 1,
      type: 'UserSuppressed',
      schemaVersion: 1,
      time: '2026-11-21T05:00:24.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-24',
      causation: 'command-24',
      data: {
        id: 'S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
        workspace: '0mi8wdg5c3x1k7q9a2b4',
      },
    },
    state: {
      id: 'S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      kind: 'suppression',
      version: 1,
      suppressed: true,
    },
  },
  {
    fact: {
      position: 25,
      stream: 'suppression-S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
      version: 2,
      type: 'UserUnsuppressed',
      schemaVersion: 1,
      time: '2026-11-21T05:00:25.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-25',
      causation: 'command-25',
      data: {},
    },
    state: {
      id: 'S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      kind: 'suppression',
      version: 2,
      suppressed: false,
    },
  },
] satisfies readonly Released<SuppressionFact>[];
