import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from './harness/command';

jest.setTimeout(180_000);

const ROOT = resolve(__dirname, '..', '..');
const PROJECTS = ['one', 'two', 'three'];
const HOUR_SECONDS = 3_600;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-builds-'));
  for (const name of ['scripts', '.swcrc'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object & {
    engines: object;
  };
  const root = { engines, workspaces: ['libs/*'] };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  for (const project of PROJECTS) {
    mkdirSync(join(folder, 'libs', project, 'src'), { recursive: true });
    const manifest = { name: project, scripts: { build: 'compile' } };
    writeFileSync(join(folder, 'libs', project, 'package.json'), JSON.stringify(manifest));
  }
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const write = (round: number): void => {
  for (const project of PROJECTS)
    for (let file = 0; file < 30; file += 1)
      writeFileSync(
        join(folder, 'libs', project, 'src', `file-${String(file)}.ts`),
        `export const round: number = ${String(round)};\n`,
      );
};

const build = (...args: string[]): Command =>
  new Command(process.execPath, [...args, join(folder, 'scripts', 'compile.mjs')], {
    cwd: folder,
    scratch: folder,
    env: {},
  });

const roundOf = (project: string): string | undefined =>
  /round = (\d+)/.exec(
    readFileSync(join(folder, 'libs', project, 'dist', 'file-29.js'), 'utf8'),
  )?.[1];

const scratch = (): readonly string[] => readdirSync(join(folder, '.cache'));

it('all succeed that run at once, and leave the output of the sources and nothing else', async () => {
  for (let round = 1; round <= 5; round += 1) {
    write(round);
    const builds = [build(), build(), build(), build()];
    const codes = await Promise.all(builds.map((each) => each.ended()));
    expect([codes, builds.map(({ output }) => output).join('')]).toEqual([
      [0, 0, 0, 0],
      expect.not.stringContaining('Error') as string,
    ]);
    expect(PROJECTS.map(roundOf)).toEqual(PROJECTS.map(() => String(round)));
    expect(scratch()).toEqual([]);
  }
  const last = build();
  expect([await last.ended(), last.output]).toEqual([0, '']);
});

/** Publishes the output of another build in the moment before the first one is put into its place. */
const RIVAL = `
  const fs = require('node:fs');
  const { renameSync } = fs;
  let isFirst = true;
  fs.renameSync = (from, to) => {
    if (isFirst && to.endsWith('/dist')) {
      isFirst = false;
      fs.mkdirSync(to);
      fs.writeFileSync(to + '/of-another-build.js', '');
    }
    renameSync(from, to);
  };
  require('node:module').syncBuiltinESMExports();
`;

it('replaces the output of another build that was published a moment before', async () => {
  write(1);
  const rival = join(folder, 'rival.cjs');
  writeFileSync(rival, RIVAL);
  const built = build('-r', rival);
  expect([await built.ended(), built.output]).toEqual([0, 'Compiling 90 files of 3 projects\n']);
  for (const project of PROJECTS) {
    expect(roundOf(project)).toBe('1');
    const outputs = readdirSync(join(folder, 'libs', project, 'dist'));
    expect(outputs).not.toContain('of-another-build.js');
  }
  expect(scratch()).toEqual([]);
});

it('removes what a killed build left an hour ago, and nothing of one that may be running', async () => {
  write(1);
  const [old, young] = ['compile-old', 'compile-young'].map((name) =>
    join(folder, '.cache', name),
  ) as [string, string];
  for (const [left, seconds] of [
    [old, HOUR_SECONDS + 60],
    [young, HOUR_SECONDS - 60],
  ] as const) {
    mkdirSync(join(left, 'libs'), { recursive: true });
    const time = Date.now() / 1_000 - seconds;
    utimesSync(left, time, time);
  }
  mkdirSync(join(folder, '.cache', 'kafka-libs'));
  expect(await build().ended()).toBe(0);
  expect([...scratch()].sort()).toEqual(['compile-young', 'kafka-libs']);
  expect(existsSync(join(young, 'libs'))).toBe(true);
});
