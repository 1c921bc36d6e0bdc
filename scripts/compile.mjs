// Compiles the projects in the arguments (folders), or all of them and packs the services. A project is compiled again
// only when its stamp differs: a hash of its sources and of what compiles them, which is kept with the output. A service
// is packed again when what is in its pack has another stamp.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SOURCE_FOR_TESTS } from './for-tests.mjs';
import { ROOT } from './install.mjs';
import { packServices, unpackedServices } from './pack.mjs';

const STAMP = '.stamp';
const CONFIG = join(ROOT, '.swcrc');
const CACHE = join(ROOT, '.cache');
const SCRATCH = 'compile-';
/** What is made of the output, see pack.mjs. */
const PACK = /^modules\.pack/;
/** Longer than any build takes: a scratch folder that is older is of a build that was killed. */
const SCRATCH_MS = 3_600_000;
const COMPILER = join(ROOT, 'node_modules', '@swc', 'core', 'package.json');

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Folders of all projects that have something to compile. */
const projects = () =>
  readJson(join(ROOT, 'package.json'))
    .workspaces.flatMap((pattern) =>
      pattern.endsWith('/*')
        ? readdirSync(join(ROOT, dirname(pattern))).map((name) => join(dirname(pattern), name))
        : [pattern],
    )
    .map((folder) => join(ROOT, folder))
    .filter((folder) => {
      const file = join(folder, 'package.json');
      return existsSync(file) && readJson(file).scripts?.build !== undefined;
    });

/** Paths of the files below a folder, relative to it and sorted; none where there is no such folder. */
const filesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
        .sort()
    : [];

const outputOf = (source) => source.replace(/\.ts$/, '.js');

/** What the compiler is given beside the sources. */
const surroundings = createHash('sha256')
  .update(readFileSync(new URL(import.meta.url)))
  .update(String(SOURCE_FOR_TESTS))
  .update(readFileSync(CONFIG))
  .update(readJson(COMPILER).version)
  .digest('hex');

const planOf = (folder) => {
  const sources = filesIn(join(folder, 'src'))
    .filter((name) => name.endsWith('.ts') && !SOURCE_FOR_TESTS.test(name))
    .map((name) => ({ name, code: readFileSync(join(folder, 'src', name), 'utf8') }));
  const hash = createHash('sha256').update(surroundings);
  for (const { name, code } of sources) hash.update(`\0${name}\0${code}`);
  return { folder, sources, stamp: hash.digest('hex') };
};

/** Does file system work during which another build may move files. @returns undefined when it has failed with a code. */
const unless = (codes, work) => {
  try {
    return work();
  } catch (error) {
    if (!codes.includes(error.code)) throw error;
    return undefined;
  }
};

/** Whether the output is that of the sources: with the same stamp, and with no other files. */
const isCompiled = ({ folder, sources, stamp }) =>
  unless(['ENOENT'], () => {
    const dist = join(folder, 'dist');
    if (readFileSync(join(dist, STAMP), 'utf8') !== stamp) return false;
    const outputs = sources.map(({ name }) => outputOf(name));
    const expected = [STAMP, ...outputs, ...outputs.map((name) => `${name}.map`)].sort();
    const found = filesIn(dist).filter((name) => !PACK.test(name));
    return found.join('\n') === expected.join('\n');
  }) === true;

const write = (file, text) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** Compiles one file below `staged`, for its place below `dist`. */
const compileFile = async (transform, { folder }, { name, code }, staged) => {
  const filename = join(folder, 'src', name);
  const output = outputOf(name);
  const compiled = await transform(code, {
    filename,
    configFile: CONFIG,
    swcrc: false,
    sourceFileName: relative(dirname(join(folder, 'dist', output)), filename),
  }).catch((cause) => {
    throw new Error(
      `${relative(ROOT, filename)} does not compile\n${cause.message.split('\n\nCaused by:')[0]}`,
      { cause },
    );
  });
  const reference = `//# sourceMappingURL=${output.slice(output.lastIndexOf('/') + 1)}.map\n`;
  write(join(staged, output), `${compiled.code}\n${reference}`);
  write(join(staged, `${output}.map`), compiled.map);
};

/**
 * Replaces the output as a whole, so that what no longer exists in the sources leaves it. Another build may do so at the
 * same time: its output is left when it is the same, and moved away when it is not.
 */
const publish = (plan, staged) => {
  const dist = join(plan.folder, 'dist');
  write(join(staged, STAMP), plan.stamp);
  for (let moved = 0; !isCompiled(plan); moved += 1) {
    unless(['ENOENT'], () => renameSync(dist, `${staged}.old-${moved}`));
    unless(['ENOTEMPTY', 'EEXIST'], () => renameSync(staged, dist));
  }
};

/** Removes what builds that were killed have left. */
const removeOldScratch = () => {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    if (!name.startsWith(SCRATCH)) continue;
    const { mtimeMs } = unless(['ENOENT'], () => statSync(folder)) ?? {};
    if (mtimeMs < Date.now() - SCRATCH_MS) rmSync(folder, { recursive: true, force: true });
  }
};

/** Compiles everything before it replaces anything: an error leaves all outputs as they are. */
const compileAll = async (plans) => {
  const { transform } = await import('@swc/core');
  mkdirSync(CACHE, { recursive: true });
  removeOldScratch();
  const scratch = mkdtempSync(join(CACHE, SCRATCH));
  try {
    const stagedOf = ({ folder }) => join(scratch, relative(ROOT, folder));
    await Promise.all(
      plans.flatMap((plan) =>
        plan.sources.map((source) => compileFile(transform, plan, source, stagedOf(plan))),
      ),
    );
    for (const plan of plans) publish(plan, stagedOf(plan));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

const given = process.argv.slice(2).map((folder) => resolve(folder));
const stale = (given.length > 0 ? given : projects())
  .map(planOf)
  .filter((plan) => !isCompiled(plan));
if (stale.length > 0) {
  const files = stale.reduce((sum, { sources }) => sum + sources.length, 0);
  process.stdout.write(`Compiling ${files} files of ${stale.length} projects\n`);
  await compileAll(stale).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
if (given.length === 0) {
  const unpacked = unpackedServices(ROOT);
  if (unpacked.length > 0) {
    process.stdout.write(`Packing ${unpacked.length} services\n`);
    await packServices(ROOT, unpacked);
  }
}
