const { mutant } = require('../../../scripts/mutants/mutant.cjs');

/** Faults of the lock on a data folder that its specs must notice. */
module.exports = [
  mutant(
    'a lock file that has changed since is replaced',
    'folder-lock.ts',
    'if ((await readText(file)) !== dead) return false;',
    '',
    'folder-lock-race.int.spec.ts',
  ),
];
