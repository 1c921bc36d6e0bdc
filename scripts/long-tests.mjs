/**
 * Tests whose whole size is too much for `npm test`, which has a small form of each: a name, the size, and the spec files
 * that run (parts of their paths) or the script.
 */
export const LONG_TESTS = [
  {
    name: 'model-of-the-router',
    size: '10,000 schedules in memory (200,000 in its four parts), 200 on PostgreSQL',
    paths: ['event-router/src/router-model', 'event-router/src/long-troubles'],
  },
  { name: 'mutants', size: 'all mutants of all projects', command: ['scripts/mutants.mjs'] },
  { name: 'kills', size: '20 kills in 20,000 events', paths: ['router-faults/kills'] },
  {
    name: 'router-faults',
    size: 'all faults of routers and gateways on both logs, with fan-out',
    paths: ['e2e/src/router-faults'],
  },
  {
    name: 'system',
    size: 'the other end-to-end specs, on both logs',
    paths: ['e2e/src/(?!router-faults|schemathesis)'],
  },
  { name: 'schemathesis', size: 'all examples of all operations', paths: ['e2e/src/schemathesis'] },
  {
    name: 'snowflake',
    size: 'all specs of the warehouse on the stand-in of Snowflake',
    paths: ['warehouses/src/snowflake'],
  },
  {
    name: 'profiles',
    size: 'random identities, merges, erasures and removals, in full number',
    paths: ['warehouses/src/postgresql'],
  },
  {
    name: 'runs',
    size: 'random runs, exports and their verification, in full number',
    paths: ['run-executor/src/.*int.spec'],
  },
  {
    name: 'configuration',
    size: 'random commands, Kafka beside the embedded log, the whole document of the API',
    paths: ['pipeline-service/src/.*int.spec', 'api-gateway/src/.*int.spec'],
  },
  {
    name: 'logs-and-databases',
    size: 'three brokers, stretches between rebalances, large values and results',
    paths: ['libs/messaging/src', 'libs/databases/src', 'libs/files/src', 'tools/local-kafka'],
  },
];
