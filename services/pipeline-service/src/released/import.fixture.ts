import type { PipelineFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

const SOURCE = {
  kind: 'file',
  format: 'csv',
  path: 'in/users.csv',
  sheet: null,
  compression: 'Gzip',
  formatSettings:
    '{"separator":",","hasColumnNames":true,"numberOfColumns":0,"lazyQuotes":false,"trimLeadingSpace":false,"useCRLF":false}',
  columns: { userID: 'id', updatedAt: 'changed', updatedAtFormat: 'ISO8601' },
} as const;

const IMPORT = {
  id: '0mi8wdg9r4t2y6u8i0p3',
  workspace: '0mi8wdg5c3x1k7q9a2b4',
  connection: '0mi8wdg9c0n1n2e3c4t5',
  target: 'User',
  eventType: null,
  name: 'Users',
  enabled: true,
  filter: null,
  transformation: { mapping: { email: 'email' }, function: null },
  outSchema:
    '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"readOptional":true,"description":""}]}',
  imports: {
    source: SOURCE,
    inSchema:
      '{"kind":"object","properties":[{"name":"id","type":{"kind":"string"},"description":""},{"name":"email","type":{"kind":"string"},"description":""},{"name":"changed","type":{"kind":"string"},"description":""}]}',
    incremental: true,
  },
} as const;

const UPDATE = {
  name: 'Users of files',
  filter:
    '{"logical":"and","conditions":[{"property":"email","operator":"is not","values":["x"]}]}',
  transformation: IMPORT.transformation,
  outSchema: IMPORT.outSchema,
  imports: {
    source: { ...SOURCE, columns: { userID: 'id', updatedAt: null, updatedAtFormat: null } },
    inSchema: IMPORT.imports.inSchema,
    incremental: false,
  },
} as const;

/** Of a pipeline that imports users. As the first version with it publishes them. Never changed. */
export const IMPORT_FACTS = [
  {
    fact: {
      position: 50,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p3',
      version: 1,
      type: 'PipelineCreated',
      schemaVersion: 1,
      time: '2026-11-24T11:00:00.000Z',
      actor: '0mi8wdg3a1b2c3d4e5f6',
      requestId: 'request-50',
      causation: 'command-50',
      data: IMPORT,
    },
    state: { ...IMPORT, kind: 'pipeline', version: 1, deleted: false },
  },
  {
    fact: {
      position: 51,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p3',
      version: 2,
      type: 'PipelineUpdated',
      schemaVersion: 1,
      time: '2026-11-24T11:30:00.000Z',
      actor: '0mi8wdg3a1b2c3d4e5f6',
      requestId: 'request-51',
      causation: 'command-51',
      data: { ...UPDATE, enabled: true },
    },
    state: { ...IMPORT, ...UPDATE, kind: 'pipeline', version: 2, deleted: false },
  },
] satisfies readonly Released<PipelineFact>[];
