import type { PipelineFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

const PROFILES =
  '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"readOptional":true,"description":""}]}';

const TO_FILE = {
  id: '0mi8wdg9r4t2y6u8i0p5',
  workspace: '0mi8wdg5c3x1k7q9a2b4',
  connection: '0mi8wdg9c0n1n2e3c4t6',
  target: 'User',
  eventType: null,
  name: 'Profiles',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  exports: {
    destination: {
      kind: 'file',
      format: 'csv',
      path: 'out/${today}.csv',
      sheet: null,
      compression: 'Gzip',
      formatSettings:
        '{"separator":",","hasColumnNames":false,"numberOfColumns":0,"lazyQuotes":false,"trimLeadingSpace":false,"useCRLF":false}',
      orderBy: 'email',
    },
    inSchema: PROFILES,
  },
} as const;

const TO_DATABASE = {
  ...TO_FILE,
  id: '0mi8wdg9r4t2y6u8i0p6',
  connection: '0mi8wdg9c0n1n2e3c4t7',
  transformation: { mapping: { mail: 'email', name: 'email' }, function: null },
  outSchema:
    '{"kind":"object","properties":[{"name":"mail","type":{"kind":"string"},"createRequired":true,"description":""},{"name":"name","type":{"kind":"string"},"nullable":true,"description":""}]}',
  exports: {
    destination: { kind: 'database', table: 'people', key: 'mail' },
    inSchema: PROFILES,
  },
} as const;

const TO_APPLICATION = {
  ...TO_DATABASE,
  id: '0mi8wdg9r4t2y6u8i0p7',
  connection: '0mi8wdg9c0n1n2e3c4t8',
  transformation: { mapping: { name: 'email' }, function: null },
  exports: {
    destination: {
      kind: 'application',
      mode: 'UpdateOnly',
      matching: { in: 'email', out: 'mail' },
      updateOnDuplicates: true,
    },
    inSchema: PROFILES,
  },
} as const;

const UPDATE = {
  name: 'People',
  filter:
    '{"logical":"and","conditions":[{"property":"email","operator":"is not","values":["x"]}]}',
  transformation: TO_DATABASE.transformation,
  outSchema: TO_DATABASE.outSchema,
  exports: {
    destination: { kind: 'database', table: 'persons', key: 'mail' },
    inSchema: PROFILES,
  },
} as const;

const RECORDED = {
  schemaVersion: 1,
  actor: '0mi8wdg3a1b2c3d4e5f6',
} as const;

/** Of pipelines that export profiles. As the first version with them publishes them. Never changed. */
export const FILE_EXPORT_FACTS = [
  {
    fact: {
      ...RECORDED,
      position: 60,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p5',
      version: 1,
      type: 'PipelineCreated',
      time: '2026-11-26T11:00:00.000Z',
      requestId: 'request-60',
      causation: 'command-60',
      data: TO_FILE,
    },
    state: { ...TO_FILE, kind: 'pipeline', version: 1, deleted: false },
  },
] satisfies readonly Released<PipelineFact>[];

/** The same of one that exports to a database. */
export const DATABASE_EXPORT_FACTS = [
  {
    fact: {
      ...RECORDED,
      position: 61,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p6',
      version: 1,
      type: 'PipelineCreated',
      time: '2026-11-26T11:10:00.000Z',
      requestId: 'request-61',
      causation: 'command-61',
      data: TO_DATABASE,
    },
    state: { ...TO_DATABASE, kind: 'pipeline', version: 1, deleted: false },
  },
  {
    fact: {
      ...RECORDED,
      position: 62,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p6',
      version: 2,
      type: 'PipelineUpdated',
      time: '2026-11-26T11:30:00.000Z',
      requestId: 'request-62',
      causation: 'command-62',
      data: { ...UPDATE, enabled: true },
    },
    state: { ...TO_DATABASE, ...UPDATE, kind: 'pipeline', version: 2, deleted: false },
  },
] satisfies readonly Released<PipelineFact>[];

/** The same of one that exports to an application. */
export const APPLICATION_EXPORT_FACTS = [
  {
    fact: {
      ...RECORDED,
      position: 63,
      stream: 'pipeline-0mi8wdg9r4t2y6u8i0p7',
      version: 1,
      type: 'PipelineCreated',
      time: '2026-11-26T14:00:00.000Z',
      requestId: 'request-63',
      causation: 'command-63',
      data: TO_APPLICATION,
    },
    state: { ...TO_APPLICATION, kind: 'pipeline', version: 1, deleted: false },
  },
] satisfies readonly Released<PipelineFact>[];
