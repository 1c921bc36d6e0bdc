import type { ErasureFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

const WORKSPACE = '0mi8wdg5c3x1k7q9a2b4';

const STREAM = { stream: `erasure-${WORKSPACE}`, schemaVersion: 1 } as const;

const OF = { kind: 'erasure', id: WORKSPACE } as const;

const REQUESTED = {
  erasure: '0mi8wdgh1b3c5d7e9f1g',
  profile: 'c0ffee00-0000-4000-8000-000000000000',
  requestedAt: '2026-11-26T03:00:01.000Z',
  actor: '0mi8wdg5c3x1k7q9a2b5',
} as const;

/** As the first version with it publishes them. Never changed; what later versions publish is added. */
export const ERASURE_FACTS = [
  {
    fact: {
      ...STREAM,
      position: 70,
      version: 1,
      type: 'ErasureRequested',
      time: '2026-11-26T03:00:01.000Z',
      actor: REQUESTED.actor,
      requestId: 'request-70',
      causation: 'command-70',
      data: { id: WORKSPACE, ...REQUESTED },
    },
    state: { ...OF, version: 1, live: [REQUESTED] },
  },
  {
    fact: {
      ...STREAM,
      position: 71,
      version: 2,
      type: 'ErasureEnded',
      time: '2026-11-26T03:00:02.000Z',
      actor: 'system',
      requestId: 'request-71',
      causation: 'command-71',
      data: {
        erasure: REQUESTED.erasure,
        error: '',
        counts: { profiles: 1, identities: 3, history: 2, events: 7, samples: 1 },
        endedAt: '2026-11-26T03:00:02.000Z',
      },
    },
    state: { ...OF, version: 2, live: [] },
  },
] satisfies readonly Released<ErasureFact>[];
