import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isPackCurrent, PACK_NAME } from './pack';

/** Lets a plain node load our sources. */
const REGISTER = join(__dirname, '../../../messaging/src/contract/register-swc.cjs');
const START = JSON.stringify(join(__dirname, 'start-program.ts'));
const RECORD = JSON.stringify(join(__dirname, 'record-pack.ts'));

/** A program, a library of ours that it loads, and packages of others, with all that a module may ask of node. */
const FILES = {
  'services/it/dist/.stamp': 'first',
  'services/it/dist/main.js': `require(${START}).startProgram(__dirname, async () => require('./run-it').run());`,
  'services/it/dist/run-it.js': `const { Named, place, later, twice } = require('../../../libs/ours/dist');
const dep = require('dep'), again = require('dep/index.js');
const data = require('./data.json');
exports.run = async () => {
  const { createRequire } = require('node:module');
  let refusal;
  try { require('dep/missing'); } catch ({ code }) { refusal = code; }
  console.log(JSON.stringify({
    names: [Named.name, new Named().constructor.name], place: place(), data, refusal, isSame: dep === again,
    here: [__dirname, __filename, module.filename, module.id, module.paths, module.loaded, require.main.filename],
    asked: [require.resolve('dep'), require.resolve.paths('dep'), createRequire(__filename).resolve('dep'), require.cache[__filename] === module, typeof require.extensions['.js']],
    stack: dep.stack().split('\\n').slice(0, 3), wide: dep.wide, circle: dep.circle(), imported: await dep.imported(),
    required: typeof require('dep/esm.mjs'), twice: [twice(), twice()], strict: dep.strict, cached: Object.keys(require.cache).length,
  }));
  setTimeout(() => console.log(later()), 20);
};`,
  'services/it/dist/data.json': '{"a":1}',
  'libs/ours/dist/.stamp': 'first',
  'libs/ours/dist/index.js': `exports.Named = class Named {};
exports.place = () => [__dirname, __filename];
exports.later = () => require('./later');
exports.twice = () => { try { require('./throws'); } catch ({ message }) { return message; } };`,
  'libs/ours/dist/later.js': `module.exports = 'later, of a file';`,
  'libs/ours/dist/throws.js': `throw new Error('no ' + (globalThis.thrown = (globalThis.thrown ?? 0) + 1));`,
  'node_modules/.penstock-installed': 'first',
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
  'node_modules/dep/index.js': `exports.stack = () => new Error('here').stack; exports.strict = (function () { return this === undefined; })();
exports.wide = 'ä… 漢';
exports.imported = async () => (await require('./imports')()).default;
exports.before = true; const other = require('./other');
exports.circle = () => [other.seen, other.all().before];`,
  'node_modules/dep/other.js': `const dep = require('.'); exports.seen = Object.keys(dep); exports.all = () => dep;`,
  'node_modules/dep/imports.js': `module.exports = () => import('./esm.mjs');`,
  'node_modules/dep/esm.mjs': `export default 'a module of ECMAScript';`,
};

let root: string;
let pack: string;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--no-warnings', '-r', REGISTER, ...args], { encoding: 'utf8' });

/** Runs the program to its end. @returns its output, or the error. */
const run = (...flags: readonly string[]): string => {
  const { stdout, stderr } = node(...flags, join(root, 'services/it/dist/main.js'));
  return stderr === '' ? stdout : stderr;
};

const record = (): void => {
  const args = [root, join(root, 'services/it/dist')].map((arg) => JSON.stringify(arg)).join();
  const { status, stderr } = node('-e', `require(${RECORD}).recordPack(${args})`);
  expect([status, stderr]).toEqual([0, '']);
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'penstock-pack-')));
  pack = join(root, 'services/it/dist', PACK_NAME);
  for (const [path, text] of Object.entries(FILES)) write(path, text);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** From then on only the pack has what these files had. */
const spoilFiles = (): void => {
  for (const path of [
    'services/it/dist/run-it.js',
    'libs/ours/dist/index.js',
    'node_modules/dep/other.js',
  ])
    write(path, 'throw new Error("read from its file");');
};

it('runs as it does from the files, whose places and names it shows', () => {
  const plain = run();
  expect(plain).toContain('index.js:1:23');
  expect(plain).toContain('"wide":"ä… 漢"');
  expect(plain).toContain('"twice":["no 1","no 2"]');
  record();
  expect(run()).toBe(plain);
});

it('reads no file that is in the pack, also with flags of node for which V8 refuses the code', () => {
  const plain = run();
  record();
  const small = '--max-semi-space-size=4';
  expect(run(small)).toBe(plain);
  spoilFiles();
  for (const flags of [[], [small]]) {
    const output = run(...flags);
    expect(output).toContain('"names":["Named","Named"]');
    expect(output).toContain('later, of a file');
  }
  rmSync(pack);
  expect(run()).toContain('Error: read from its file');
});

it('loads from the files again when the program has started', () => {
  record();
  write('libs/ours/dist/later.js', `module.exports = 'later, of a newer file';`);
  expect(run()).toContain('later, of a newer file');
});

it.each(['node_modules/.penstock-installed', 'libs/ours/dist/.stamp', 'services/it/dist/.stamp'])(
  'runs what is there now when %s has changed since',
  (path) => {
    record();
    expect(isPackCurrent(pack)).toBe(true);
    write(path, 'second');
    write('libs/ours/dist/later.js', `module.exports = 'unused';`);
    write(
      'node_modules/dep/index.js',
      `module.exports = { stack: () => 'newer\\nstack', circle() {}, imported() {} };`,
    );
    expect(isPackCurrent(pack)).toBe(false);
    expect(run()).toContain('"stack":["newer","stack"]');
    record();
    expect(isPackCurrent(pack)).toBe(true);
    expect(run()).toContain('"stack":["newer","stack"]');
  },
);

it.each<[string, (whole: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['cut in its heading', (whole) => whole.subarray(0, 20)],
  ['cut in its table', (whole) => whole.subarray(0, whole.indexOf('\n') + 20)],
  [
    'of another Node',
    (whole) => Buffer.from(whole.toString('latin1').replace('"node":"v', '"node":"w'), 'latin1'),
  ],
  ['something else', () => Buffer.from('{}\n')],
])('runs from the files when the pack is %s', (_, changed) => {
  const plain = run();
  record();
  writeFileSync(pack, changed(readFileSync(pack)));
  expect(run()).toBe(plain);
});

it('runs from a copy of the whole folder elsewhere', () => {
  record();
  const moved = `${root}-moved`;
  spawnSync('cp', ['-r', root, moved]);
  const output = node(join(moved, 'services/it/dist/main.js')).stdout;
  rmSync(moved, { recursive: true });
  expect(output).toContain(`"here":["${moved}/services/it/dist"`);
});
