import type { PipelineFact } from '@penstock/contracts';
import type { Released } from './released.fixture';

/** As published by version 0.1.0. Never changed; what later versions publish is added. */
export const PIPELINE_FACTS = [
  {
    fact: {
      position: 16,
      stream: 'pipeline-0mi8wdg8k1l2m3n4o5p6',
      version: 1,
      type: 'PipelineCreated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:16.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-16',
      causation: 'command-16',
      data: {
        id: '0mi8wdg8k1l2m3n4o5p6',
        workspace: '0mi8wdg5c3x1k7q9a2b4',
        connection: '0mi8wdg7k1l2m3n4o5p6',
        target: 'Event',
        eventType: 'send_add_to_cart',
        name: 'Carts',
        enabled: true,
        filter:
          '{"logical":"and","conditions":[{"property":"type","operator":"is","values":["track"]}]}',
        transformation: {
          mapping: {
            email: 'traits.email',
          },
          function: null,
        },
        outSchema:
          '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      },
    },
    state: {
      id: '0mi8wdg8k1l2m3n4o5p6',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      connection: '0mi8wdg7k1l2m3n4o5p6',
      target: 'Event',
      eventType: 'send_add_to_cart',
      name: 'Carts',
      enabled: true,
      filter:
        '{"logical":"and","conditions":[{"property":"type","operator":"is","values":["track"]}]}',
      transformation: {
        mapping: {
          email: 'traits.email',
        },
        function: null,
      },
      outSchema:
        '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      kind: 'pipeline',
      version: 1,
      deleted: false,
    },
  },
  {
    fact: {
      position: 17,
      stream: 'pipeline-0mi8wdg8k1l2m3n4o5p6',
      version: 2,
      type: 'PipelineUpdated',
      schemaVersion: 1,
      time: '2026-11-21T05:00:17.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-17',
      causation: 'command-17',
      data: {
        name: 'Carts 2',
        enabled: true,
        filter: null,
        transformation: {
          mapping: null,
          function: {
            source: 'const transform = (event) => ({ email: event.userId });',
            language: 'JavaScript',
            preserveJSON: false,
            inPaths: ['userId'],
            outPaths: ['email'],
          },
        },
        outSchema:
          '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      },
    },
    state: {
      id: '0mi8wdg8k1l2m3n4o5p6',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      connection: '0mi8wdg7k1l2m3n4o5p6',
      target: 'Event',
      eventType: 'send_add_to_cart',
      name: 'Carts 2',
      enabled: true,
      filter: null,
      transformation: {
        mapping: null,
        function: {
          source: 'const transform = (event) => ({ email: event.userId });',
          language: 'JavaScript',
          preserveJSON: false,
          inPaths: ['userId'],
          outPaths: ['email'],
        },
      },
      outSchema:
        '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      kind: 'pipeline',
      version: 2,
      deleted: false,
    },
  },
  {
    fact: {
      position: 18,
      stream: 'pipeline-0mi8wdg8k1l2m3n4o5p6',
      version: 3,
      type: 'PipelineStatusSet',
      schemaVersion: 1,
      time: '2026-11-21T05:00:18.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-18',
      causation: 'command-18',
      data: {
        enabled: false,
      },
    },
    state: {
      id: '0mi8wdg8k1l2m3n4o5p6',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      connection: '0mi8wdg7k1l2m3n4o5p6',
      target: 'Event',
      eventType: 'send_add_to_cart',
      name: 'Carts 2',
      enabled: false,
      filter: null,
      transformation: {
        mapping: null,
        function: {
          source: 'const transform = (event) => ({ email: event.userId });',
          language: 'JavaScript',
          preserveJSON: false,
          inPaths: ['userId'],
          outPaths: ['email'],
        },
      },
      outSchema:
        '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      kind: 'pipeline',
      version: 3,
      deleted: false,
    },
  },
  {
    fact: {
      position: 19,
      stream: 'pipeline-0mi8wdg8k1l2m3n4o5p6',
      version: 4,
      type: 'PipelineDeleted',
      schemaVersion: 1,
      time: '2026-11-21T05:00:19.000Z',
      actor: '0mi8wdg9k1l2m3n4o5p6',
      requestId: 'request-19',
      causation: 'command-19',
      data: {},
    },
    state: {
      id: '0mi8wdg8k1l2m3n4o5p6',
      workspace: '0mi8wdg5c3x1k7q9a2b4',
      connection: '0mi8wdg7k1l2m3n4o5p6',
      target: 'Event',
      eventType: 'send_add_to_cart',
      name: 'Carts 2',
      enabled: false,
      filter: null,
      transformation: {
        mapping: null,
        function: {
          source: 'const transform = (event) => ({ email: event.userId });',
          language: 'JavaScript',
          preserveJSON: false,
          inPaths: ['userId'],
          outPaths: ['email'],
        },
      },
      outSchema:
        '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"createRequired":true}]}',
      kind: 'pipeline',
      version: 4,
      deleted: true,
    },
  },
] satisfies readonly Released<PipelineFact>[];
