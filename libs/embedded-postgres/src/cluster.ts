import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { explainFailure } from './explain-failure';
import { clusterIn } from './home';
import { runAs } from './run-as';

/** The superuser role that initdb creates; at first the server's only role. */
export const ROLE = 'penstock';

const PASSWORD_BYTES = 24;

const passwordFileIn = (clusterDir: string): string => join(clusterDir, 'penstock.password');

/** The builtin C.UTF-8 locale sorts by code point on every system and does not change with the system's libraries. */
const INITDB = [
  `--username=${ROLE}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
  // Size of a WAL segment in MB. A new segment is filled with zeros while every commit waits: 12 ms for the usual 16
  // MB, 4 ms for 4 MB.
  '--wal-segsize=4',
];

/** Gives a path to the account and sets its mode. */
const give = async (path: string, mode: number, account: Account | undefined): Promise<void> => {
  if (account) await chown(path, account.uid, account.gid);
  await chmod(path, mode);
};

const initdb = async (
  binaries: Binaries,
  clusterDir: string,
  passwordFile: string,
  account: Account | undefined,
): Promise<void> => {
  const args = [...INITDB, `--pwfile=${passwordFile}`, `--pgdata=${clusterDir}`];
  try {
    await runAs(account, binaries.initdb, args);
  } catch (cause) {
    throw explainFailure((cause as { stderr?: string }).stderr ?? String(cause), clusterDir);
  }
};

/**
 * Creates the cluster under another name and renames it, so that a start that is cut short leaves no half-made cluster.
 */
const makeCluster = async (
  binaries: Binaries,
  home: string,
  account: Account | undefined,
): Promise<void> => {
  const unfinished = `${clusterIn(home)}.new`;
  const password = `${unfinished}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await give(unfinished, 0o700, account);
  await writeFile(password, randomBytes(PASSWORD_BYTES).toString('base64url'), { mode: 0o600 });
  await give(password, 0o600, account);
  await initdb(binaries, unfinished, password, account);
  await rename(password, passwordFileIn(unfinished));
  await rename(unfinished, clusterIn(home));
};

const checkMajor = async (clusterDir: string, major: number): Promise<void> => {
  const found = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  if (found === `${major}`) return;
  throw new EmbeddedPostgresError(
    'OtherMajorVersion',
    `${clusterDir} is of PostgreSQL ${found}, this release brings PostgreSQL ${major}: start the release that made it, dump and restore`,
  );
};

/** Fixes the owner of a folder that root restored from a backup: the server refuses to run in a folder of root. */
const checkOwner = async (clusterDir: string, account: Account | undefined): Promise<void> => {
  const { uid } = await stat(clusterDir);
  if (account && uid === 0)
    await runAs(undefined, 'chown', ['-R', `${account.uid}:${account.gid}`, clusterDir]);
  if (account || uid === process.geteuid?.()) return;
  throw new EmbeddedPostgresError(
    'NoAccount',
    `${clusterDir} belongs to user ${uid}: start as that user, or change its owner`,
  );
};

/** Reads the password of {@link ROLE} from the cluster's folder. */
export const passwordOf = async (clusterDir: string): Promise<string> =>
  (await readFile(passwordFileIn(clusterDir), 'utf8')).trim();

/**
 * Opens the cluster in `home`, and creates it when there is none.
 *
 * @returns the password of {@link ROLE}.
 * @throws EmbeddedPostgresError `OtherMajorVersion`, `DiskFull`, `NoAccount` or `StartFailed`.
 */
export const openCluster = async (
  binaries: Binaries,
  major: number,
  home: string,
  account: Account | undefined,
): Promise<string> => {
  const clusterDir = clusterIn(home);
  if (!(await stat(clusterDir).catch(() => undefined))) await makeCluster(binaries, home, account);
  await checkMajor(clusterDir, major);
  await checkOwner(clusterDir, account);
  return passwordOf(clusterDir);
};
