const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const GROUPS = ['services', 'libs', 'tools'];

/** Applies a mutant to the text of its file. @throws Error unless `from` occurs exactly once. */
const replaced = (text, { name, file, from, to }) => {
  const count = text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`mutant "${name}": its text stands ${count} times in ${file}, not once`);
  return text.replace(from, () => to);
};

/** The seeds of a model that are known to catch mutants, by their names. */
const seedsOf = (folder) => {
  const file = join(ROOT, folder, 'mutants', 'seeds.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
};

/** The mutants of one project. @throws Error when one does not fit the code, or its spec does not exist. */
const mutantsOf = (project, folder) => {
  const seeds = seedsOf(folder);
  const names = new Set();
  return require(join(ROOT, folder, 'mutants', 'mutants.cjs')).map((each) => {
    const mutant = {
      ...each,
      project,
      file: `${folder}/src/${each.file}`,
      spec: `${folder}/src/${each.spec}`,
      seed: seeds[each.name],
    };
    replaced(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant);
    if (!existsSync(join(ROOT, mutant.spec)))
      throw new Error(`mutant "${each.name}": no spec is ${mutant.spec}`);
    if (names.has(each.name)) throw new Error(`two mutants of ${project} are "${each.name}"`);
    names.add(each.name);
    return mutant;
  });
};

/** The mutants of all projects that have a list, by the name of the project. */
const listedMutants = () =>
  new Map(
    GROUPS.flatMap((group) => readdirSync(join(ROOT, group)).map((name) => [name, group]))
      .filter(([name, group]) => existsSync(join(ROOT, group, name, 'mutants', 'mutants.cjs')))
      .map(([name, group]) => [name, mutantsOf(name, `${group}/${name}`)]),
  );

module.exports = { ROOT, listedMutants, replaced };
