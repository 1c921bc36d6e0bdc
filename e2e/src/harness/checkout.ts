import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');

const COPIED = [
  'bench',
  'libs',
  'scripts',
  'services',
  'tools',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.npmrc',
  '.swcrc',
];

const NOT_COPIED = ['dist', 'node_modules'];

/** Links the installed packages, and those of the repository to their copies. */
const linkPackages = (folder: string): void => {
  const from = join(ROOT, 'node_modules');
  const to = join(folder, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name === '@penstock')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
};

/**
 * A copy of the repository as after a clone, in a folder of its own: its build changes nothing for other specs.
 *
 * @param hasPackages whether packages are installed: else the first start installs them, which takes about a minute.
 */
export const copyRepository = (hasPackages: boolean): { folder: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-checkout-'));
  // As root, the database runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (source) => !NOT_COPIED.includes(basename(source)),
    });
  if (hasPackages) linkPackages(folder);
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
