import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error';

const run = promisify(execFile);

/** A system account for child processes, other than this process's own. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const OWN_NAME = 'penstock';

/** Commands that create a system account: shadow-utils first, then busybox. */
const MAKERS = [
  ['useradd', '--system', '--no-create-home', '--shell', '/usr/sbin/nologin', OWN_NAME],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', OWN_NAME],
] as const;

type Passwd = ReadonlyMap<string, Account>;

/** Parses lines of passwd(5) into accounts by name. */
export const parsePasswd = (text: string): Passwd => {
  const fields = text.split('\n').map((line) => line.split(':'));
  return new Map(
    fields
      .filter(({ length }) => length >= 4)
      .map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  );
};

const readPasswd = async (): Promise<Passwd> => parsePasswd(await readFile('/etc/passwd', 'utf8'));

const ownerOf = async (path: string): Promise<Account | undefined> => {
  const owner = await stat(path).catch(() => undefined);
  return owner === undefined || owner.uid === 0 ? undefined : { uid: owner.uid, gid: owner.gid };
};

const makeAccount = async (): Promise<Account> => {
  for (const [command, ...options] of MAKERS) {
    const made = await run(command, options).catch(() => undefined);
    const account = made && (await readPasswd()).get(OWN_NAME);
    if (account) return account;
  }
  throw new EmbeddedPostgresError(
    'NoAccount',
    'PostgreSQL refuses to run as root, and there is no user to run it as: start as another user, add a user "postgres", or set DATABASE_URL',
  );
};

/**
 * Chooses the account that runs the server: this process's own user (undefined), unless that is root, which PostgreSQL
 * refuses. Then the owner of the cluster, else of the data folder, else `postgres`, `nobody`, or a new system user.
 *
 * @throws EmbeddedPostgresError `NoAccount` when root finds no such account and can create none.
 */
export const chooseAccount = async (
  clusterDir: string,
  dataDir: string,
): Promise<Account | undefined> => {
  if (process.geteuid?.() !== 0) return undefined;
  const clusterOwner = await ownerOf(clusterDir);
  if (clusterOwner) return clusterOwner;
  const passwd = await readPasswd();
  const dataOwner = await ownerOf(dataDir);
  const named = [...passwd.values()].some(({ uid }) => uid === dataOwner?.uid);
  if (dataOwner && named) return dataOwner;
  return passwd.get('postgres') ?? passwd.get('nobody') ?? passwd.get(OWN_NAME) ?? makeAccount();
};
