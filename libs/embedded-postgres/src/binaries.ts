import { chmod, copyFile, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Account } from './account';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { type NativePackage, libraryLinks } from './native-package';
import { runAs } from './run-as';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const binariesIn = (root: string): Binaries => ({
  initdb: join(root, 'native', 'bin', 'initdb'),
  postgres: join(root, 'native', 'bin', 'postgres'),
});

const linkLibraries = async (
  root: string,
  links: ReturnType<typeof libraryLinks>,
): Promise<void> => {
  for (const { source, target } of links)
    await symlink(basename(source), join(root, target)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
};

/** Copies a folder so that every account can read it, whatever umask npm ran with. */
const copyReadable = async (from: string, to: string): Promise<void> => {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyReadable(source, target);
    if (!entry.isFile()) continue;
    await copyFile(source, target);
    await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
  }
};

const copyPackage = async ({ root }: NativePackage, target: string): Promise<void> => {
  const unfinished = `${target}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await chmod(unfinished, 0o755);
  await copyReadable(join(root, 'native'), join(unfinished, 'native'));
  await linkLibraries(unfinished, libraryLinks(root));
  await rm(target, { recursive: true, force: true });
  await rename(unfinished, target);
};

const failure = async (binaries: Binaries, account: Account | undefined): Promise<unknown> =>
  runAs(account, binaries.postgres, ['--version']).then(
    () => undefined,
    (cause: unknown) => cause,
  );

/**
 * Returns binaries that the account is able to run: those of the package, with its library links created if install
 * scripts were off; else a copy in `home`, for a package in a read-only or unreachable folder.
 *
 * @throws EmbeddedPostgresError `UnsupportedPlatform` when a reachable copy does not run either.
 */
export const prepareBinaries = async (
  native: NativePackage,
  home: string,
  account: Account | undefined,
): Promise<Binaries> => {
  const installed = binariesIn(native.root);
  await linkLibraries(native.root, libraryLinks(native.root)).catch(() => undefined);
  if (!(await failure(installed, account))) return installed;
  const copy = join(home, `binaries-${native.version}`);
  const copied = binariesIn(copy);
  if (!(await failure(copied, account))) return copied;
  await copyPackage(native, copy);
  const cause = await failure(copied, account);
  if (!cause) return copied;
  throw new EmbeddedPostgresError(
    'UnsupportedPlatform',
    'the embedded PostgreSQL does not run on this system: set DATABASE_URL to a PostgreSQL server',
    { cause },
  );
};
