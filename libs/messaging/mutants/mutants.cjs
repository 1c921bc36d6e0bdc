const { mutant } = require('../../../scripts/mutants/mutant.cjs');

/** Faults of the log that its specs must notice. */
module.exports = [
  mutant(
    'a failed commit overwrites a newer position',
    'kafka/committer.ts',
    'if (!this.handled.has(partition)) this.handled.set(partition, offset);',
    'this.handled.set(partition, offset);',
    'kafka/committer-repeats.spec.ts',
  ),
  mutant(
    'a failed commit is not repeated',
    'kafka/committer.ts',
    'if (!this.handled.has(partition)) this.handled.set(partition, offset);',
    'void [partition, offset];',
    'kafka/committer-repeats.spec.ts',
  ),
  mutant(
    'a withdrawal ends later requests of its id, too',
    'transport/request-reader.ts',
    'if (request?.id === id && offset < before) withdrawal.abort();',
    'if (request?.id === id) withdrawal.abort();',
    'transport/request-reader.spec.ts',
  ),
  mutant(
    'a withdrawal ends the requests of others',
    'transport/request-reader.ts',
    'if (request?.id === id && offset < before) withdrawal.abort();',
    'if (request !== undefined && offset < before) withdrawal.abort();',
    'transport/request-reader.spec.ts',
  ),
];
