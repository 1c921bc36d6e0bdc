import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { COMPILED_FOR_TESTS } from './for-tests.mjs';
import { NODE_FLAGS } from './node-flags.mjs';
import { packServices, unpackedServices } from './pack.mjs';

/** Files of installed packages that nothing uses at run time: source maps, types, and programs of Windows. */
const UNUSED = /\.(map|d\.[cm]?ts|exe)$/;

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

const pick = (object, names) =>
  Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));

/**
 * Everybody may read what is written, whatever the umask and the modes of the sources; nobody but the owner may write.
 */
const makeFolder = (folder) => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
};

const write = (file, text, mode = 0o644) => {
  makeFolder(dirname(file));
  writeFileSync(file, text);
  chmodSync(file, mode);
};

const copyFile = (from, to) => {
  makeFolder(dirname(to));
  copyFileSync(from, to);
  chmodSync(to, 0o644);
};

/** Paths of the regular files below a folder, relative to it. Folders of the given name are left out. */
const filesBelow = (folder, leftOut) => {
  const visit = (path) =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const below = join(path, entry.name);
      if (entry.isDirectory()) return entry.name === leftOut ? [] : visit(below);
      return entry.isFile() ? [below] : [];
    });
  return visit('');
};

/** Names of the libraries that the code of a package loads. */
const librariesOf = (dist) => {
  const texts = filesBelow(dist)
    .filter((name) => name.endsWith('.js') && !COMPILED_FOR_TESTS.test(name))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  const loads = /\b(?:require|import)\(["']@penstock\/([a-z-]+)["']\)/g;
  return new Set(texts.flatMap((text) => [...text.matchAll(loads)].map(([, name]) => name)));
};

/** Copies the compiled code of a package, and the other files that its `files` names. */
const copyPackage = (root, target, path) => {
  const source = join(root, path);
  const manifest = readJson(join(source, 'package.json'));
  if (!existsSync(join(source, 'dist'))) throw new Error(`${path} is not built: npm run build`);
  for (const name of manifest.files ?? ['dist'])
    if (name !== 'dist') copyFile(join(source, name), join(target, path, name));
  for (const name of filesBelow(join(source, 'dist')))
    if (name.endsWith('.js') && !COMPILED_FOR_TESTS.test(name))
      copyFile(join(source, 'dist', name), join(target, path, 'dist', name));
  const kept = pick(manifest, ['name', 'version', 'private', 'license', 'main']);
  write(join(target, path, 'package.json'), `${JSON.stringify(kept, undefined, 2)}\n`);
};

/** Folders of the services that run as processes of their own: the embedded default, `standalone`, is none. */
const servicesOf = (root) =>
  readdirSync(join(root, 'services'))
    .filter((name) => existsSync(join(root, 'services', name, 'package.json')))
    .filter((name) => {
      const { nx } = readJson(join(root, 'services', name, 'package.json'));
      return nx?.tags?.includes('type:service') === true;
    })
    .map((name) => join('services', name));

/** The services, and the libraries that they load, directly or through others. */
const packagesOf = (root) => {
  const found = new Set(servicesOf(root));
  for (const path of found)
    for (const library of librariesOf(join(root, path, 'dist'))) found.add(join('libs', library));
  return [...found];
};

/**
 * Copies the packages of npm that run time needs. Optional ones are left out with those of development: they are the
 * embedded PostgreSQL, binaries of other platforms, and drivers that nothing here uses. So are declarations of types,
 * which a package may name as a peer.
 */
const copyModules = (root, target) => {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const needed = Object.entries(packages).filter(
    ([path, { link, dev, devOptional, optional }]) =>
      path.startsWith('node_modules/') &&
      !path.startsWith('node_modules/@types/') &&
      !(link || dev || devOptional || optional),
  );
  for (const [path] of needed) {
    if (!existsSync(join(root, path))) throw new Error(`${path} is not installed: npm ci`);
    for (const name of filesBelow(join(root, path), 'node_modules'))
      if (!UNUSED.test(name)) copyFile(join(root, path, name), join(target, path, name));
  }
};

/** The program that starts a process in the image; `exec` makes node the process that gets the signals. */
const entryPoint = (services) => `#!/bin/sh
# Starts one process of Penstock: see \`penstock help\`.
home=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
command=\${1-help}
[ $# -eq 0 ] || shift
case $command in
  ${services.join(' | ')})
    exec node ${NODE_FLAGS.join(' ')} "$home/services/$command/dist/main.js" ;;
  audit-verify)
    node "$home/services/pipeline-service/dist/audit-verify-main.js" "$@"
    code=$?
    [ $code -le 1 ] || exit $code
    node "$home/services/run-executor/dist/audit-verify-main.js" || exit $?
    exit $code ;;
  keys-recover)
    exec node "$home/services/pipeline-service/dist/recover-key-main.js" ;;
esac
usage='Usage: penstock COMMAND

${services.map((name) => `  ${name}`).join('\n')}
                     run this service; an installation needs each of them at least once
  audit-verify [POSITION:HASH]...
                     check the audit, and the runs, of a running installation
  keys-recover       create and print an API key of scope admin when all are lost
  help               show this text

All settings are environment variables: DATABASE_URL, PENSTOCK_SECRET and, for the log on Kafka, KAFKA_BROKERS;
the others are in docs/configuration.md. Nothing is written to the file system.'
if [ "$command" = help ] || [ "$command" = --help ]; then
  echo "$usage"
else
  echo "penstock: there is no command $command. $usage" >&2
  exit 2
fi
`;

/** Packs the services: what is laid out never changes, and nobody may write there later. */
const pack = async (target) => {
  const folders = unpackedServices(target);
  await packServices(target, folders);
  for (const folder of folders)
    for (const name of readdirSync(folder))
      if (name.endsWith('.pack')) chmodSync(join(folder, name), 0o644);
};

/**
 * Lays out the folder that runs in production: the services, the libraries and packages that they load, and the program
 * `penstock`, which starts one of them. Everything is chosen by name: what a checkout contains besides, such as a
 * `.env`, cannot get in.
 *
 * @param root a checkout in which everything is installed and built.
 * @param target a folder that is empty or does not exist.
 */
export const layOut = async (root, target) => {
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Error(`${target} is not empty: name a new folder`);
  makeFolder(target);
  const packages = packagesOf(root);
  for (const path of packages) {
    copyPackage(root, target, path);
    const link = join(target, 'node_modules', readJson(join(root, path, 'package.json')).name);
    makeFolder(dirname(link));
    symlinkSync(relative(dirname(link), join(target, path)), link);
  }
  copyModules(root, target);
  const services = packages
    .filter((path) => path.startsWith('services'))
    .map((path) => basename(path));
  write(join(target, 'penstock'), entryPoint(services), 0o755);
  const kept = ['name', 'version', 'private', 'license', 'engines', 'dependencies'];
  const manifest = pick(readJson(join(root, 'package.json')), kept);
  write(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  copyFile(join(root, 'LICENSE'), join(target, 'LICENSE'));
  await pack(target);
};
