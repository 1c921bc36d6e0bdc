import type { PipelineFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

const IDENTITIES = {
  id: '0mi8wdh1r4t2y6u8i0p3',
  workspace: '0mi8wdg5c3x1k7q9a2b4',
  connection: '0mi8wdg6k1l2m3n4o5p6',
  target: 'User',
  eventType: null,
  name: 'Identities',
  enabled: true,
  filter: null,
  transformation: { mapping: { email: 'traits.email' }, function: null },
  outSchema:
    '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"readOptional":true,"description":""}]}',
} as const;

const UPDATE = {
  name: 'Ids only',
  enabled: true,
  filter:
    '{"logical":"and","conditions":[{"property":"type","operator":"is","values":["identify"]}]}',
  transformation: null,
  outSchema: null,
} as const;

const factOf = (position: number, version: number) => ({
  position,
  stream: 'pipeline-0mi8wdh1r4t2y6u8i0p3',
  version,
  schemaVersion: 1,
  time: '2026-11-25T03:00:00.000Z',
  actor: '0mi8wdg3a1b2c3d4e5f6',
  requestId: `request-${String(position)}`,
  causation: `command-${String(position)}`,
});

/** Of a pipeline that writes the identities in events. As the first version with it publishes them. Never changed. */
export const WAREHOUSE_PIPELINE_FACTS = [
  {
    fact: { ...factOf(60, 1), type: 'PipelineCreated', data: IDENTITIES },
    state: { ...IDENTITIES, kind: 'pipeline', version: 1, deleted: false },
  },
  {
    fact: { ...factOf(61, 2), type: 'PipelineUpdated', data: UPDATE },
    state: { ...IDENTITIES, ...UPDATE, kind: 'pipeline', version: 2, deleted: false },
  },
] satisfies readonly Released<PipelineFact>[];
