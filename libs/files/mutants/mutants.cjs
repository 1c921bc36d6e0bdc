const { mutant } = require('../../../scripts/mutants/mutant.cjs');

/** Faults of files that their specs must notice. */
module.exports = [
  mutant(
    'a spooled file that is too large leaves its descriptor open',
    'content/spooled-file.ts',
    `await close();
    throw error;`,
    'throw error;',
    'content/spooled-file.int.spec.ts',
  ),
  mutant(
    'a spooled file stays on disk',
    'content/spooled-file.ts',
    'await unlink(path);',
    '',
    'content/spooled-file.int.spec.ts',
  ),
];
