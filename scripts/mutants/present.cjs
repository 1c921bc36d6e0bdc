const { readFileSync } = require('node:fs');

/** What this process has to do: `mutants`, and the path of the `report`. */
const { mutants, report } = JSON.parse(readFileSync(process.env.MUTANTS_TASK, 'utf8'));

/** The run that is under way, which runner, runtime and environment share: the process runs one spec file at a time. */
const present = { mutant: undefined, test: '', seeds: [] };

module.exports = { mutants, present, report };
