const { existsSync } = require('node:fs');
const { join, relative, sep } = require('node:path');

/**
 * Spec files that take longest, longest first: each takes more than half a minute beside another one. One that begins
 * last would leave the other processors idle.
 */
const LONGEST = [
  'e2e/src/router-faults/two-of-each.spec.ts',
  'e2e/src/every-kind.spec.ts',
  'e2e/src/api/api.spec.ts',
  'e2e/src/schemathesis.spec.ts',
  'e2e/src/one-installation/one-installation.spec.ts',
  'e2e/src/first-mistakes.spec.ts',
  'e2e/src/faults-of-runs/faults.spec.ts',
  'e2e/src/image/containers.spec.ts',
  'e2e/src/image/layout.spec.ts',
  'e2e/src/first-start.spec.ts',
  'e2e/src/planted-secrets.spec.ts',
  'e2e/src/tracing.spec.ts',
  'e2e/src/faults-of-profiles/faults.spec.ts',
  'libs/messaging/src/kafka/kafka-message-log.int.spec.ts',
  'libs/transformations/src/functions/sharing.alone.int.spec.ts',
  'services/run-executor/src/exports.int.spec.ts',
  'libs/messaging/src/postgres/postgres-message-log.int.spec.ts',
  'services/run-executor/src/user-exports.int.spec.ts',
  'libs/files/src/parquet/parquet-format.int.spec.ts',
  'services/event-router/src/deliveries/replays.int.spec.ts',
  'libs/transformations/src/functions/javascript/hostile.alone.int.spec.ts',
  'libs/warehouses/src/postgresql/layout/repair.int.spec.ts',
  'libs/transformations/src/functions/python/hostile.alone.int.spec.ts',
  'libs/embedded-postgres/src/start-embedded-postgres.int.spec.ts',
  'tools/local-kafka/src/start-cluster.int.spec.ts',
  'services/event-router/src/long-troubles.spec.ts',
];

const gone = LONGEST.filter((path) => !existsSync(join(__dirname, path)));
if (gone.length > 0) throw new Error(`no spec is ${gone.join(', ')}: correct jest.sequencer.js`);

const rankOf = new Map(LONGEST.map((path, rank) => [path, rank]));

/** Orders spec files in the same way on every machine: the longest first, then the others by their size. */
module.exports = class Sequencer {
  sort(tests) {
    const rank = ({ path, context }) =>
      rankOf.get(relative(context.config.rootDir, path).split(sep).join('/')) ?? LONGEST.length;
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    return [...tests].sort((one, other) => rank(one) - rank(other) || size(other) - size(one));
  }

  /** Nothing is kept from run to run. */
  cacheResults() {}
};
