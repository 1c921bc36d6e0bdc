/**
 * Tests whose whole size is too much for `npm test`, which has a small form of each: a name, the size, and the spec files
 * that run (parts of their paths) or the script.
 */
export const LONG_TESTS = [
  {
    name: 'model-of-the-router',
    size: '10,000 schedules in memory, 200 on PostgreSQL',
    paths: ['event-router/src/router-model', 'event-router/src/long-troubles'],
  },
  { name: 'kills', size: '20 kills in 20,000 events', paths: ['router-faults/kills'] },
  { name: 'mutants', size: 'all mutants of all projects', command: ['scripts/mutants.mjs'] },
  {
    name: 'snowflake',
    size: 'all specs of the warehouse on the stand-in of Snowflake',
    paths: ['warehouses/src/snowflake'],
  },
  { name: 'schemathesis', size: 'all examples of all operations', paths: ['e2e/src/schemathesis'] },
];
