import { chmod, lstat, mkdir, mkdtemp, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Account } from './account';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { canEnter } from './run-as';

const SYSTEM_ROOT = '/var/lib/penstock';

/** Path of the cluster in the data folder: a folder, or a link to it where the account cannot reach the data folder. */
export const clusterIn = (folder: string): string => join(folder, 'postgres');

/** Creates the folder and its missing parents with mode 0755, whatever the umask is. */
export const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await chmod(made, 0o755);
};

/**
 * Finds the folder that holds the cluster: the target's parent where the data folder has a link, else the data folder
 * itself.
 *
 * @throws EmbeddedPostgresError `FolderLost` when the link's target is gone: starting with an empty cluster would hide
 *   the loss.
 */
export const findHome = async (dataDir: string): Promise<string> => {
  const link = clusterIn(dataDir);
  const target = await readlink(link).catch(() => undefined);
  if (target === undefined) return dataDir;
  const home = dirname(target);
  if (await stat(home).catch(() => undefined)) return home;
  throw new EmbeddedPostgresError(
    'FolderLost',
    `the database of ${dataDir} was in ${home}, which is gone: bring it back, or remove ${link} to start with an empty one`,
  );
};

/**
 * Lets the account pass through the data folder, but not read it, where the account can reach the folder's parent.
 *
 * @returns whether the account can enter the data folder.
 */
const openPassage = async (dataDir: string, account: Account): Promise<boolean> => {
  if (await canEnter(dataDir, account)) return true;
  if (!(await canEnter(dirname(dataDir), account))) return false;
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
  return canEnter(dataDir, account);
};

const makeReachable = async (parent: string, account: Account): Promise<string | undefined> => {
  try {
    await makeFolder(parent);
    const home = await mkdtemp(join(parent, 'penstock-'));
    await chmod(home, 0o711);
    if (await canEnter(home, account)) return home;
    await rm(home, { recursive: true });
    return undefined;
  } catch {
    return undefined;
  }
};

/**
 * Makes sure that the account can reach the cluster's folder. A data folder below a parent that is closed to the
 * account (mode 0700) keeps only a link; the cluster then lives in /var/lib/penstock, or else in the temporary folder.
 *
 * @returns the folder to hold the cluster.
 * @throws EmbeddedPostgresError `NoAccount` when no reachable folder is found, or an existing cluster is out of reach.
 */
export const settleHome = async (
  dataDir: string,
  account: Account,
  notice: (text: string) => void,
): Promise<string> => {
  const found = await findHome(dataDir);
  if (await openPassage(found, account)) return found;
  const settled = await lstat(clusterIn(dataDir)).catch(() => undefined);
  const home = settled
    ? undefined
    : ((await makeReachable(SYSTEM_ROOT, account)) ?? (await makeReachable(tmpdir(), account)));
  if (home === undefined)
    throw new EmbeddedPostgresError(
      'NoAccount',
      `PostgreSQL does not run as root, and user ${account.uid} cannot reach ${found}: open its parents for passage (chmod o+x), or set PENSTOCK_DATA to another folder`,
    );
  await symlink(clusterIn(home), clusterIn(dataDir));
  notice(`${dataDir} cannot be reached by the database's user: its database is kept in ${home}`);
  return home;
};
