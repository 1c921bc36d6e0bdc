import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow } from './checkout';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How a process is kept from writing, and the command of one. */
export interface ReadOnly {
  readonly how: string;
  /** Of a `node` that the process can execute. */
  readonly nodeFolder: string;
  /** @param name of a command of the image. */
  readonly command: (name: string) => Command;
}

type Command = readonly [string, ...string[]];

/**
 * Makes the file system of / read-only for this process, and the folder of the program, which may be on another one; then
 * starts the program by the command that follows it.
 */
const READ_ONLY_FIRST = `
  folder=$1; shift
  mount --make-rprivate / && mount --bind "$folder" "$folder" &&
    mount -o remount,bind,ro "$folder" && mount -o remount,bind,ro / || exit 1
  if touch "$folder/written" 2>/dev/null; then echo 'the file system can be written' >&2; exit 1; fi
  cd "$folder" && exec "$@"`;

const succeeds = ([command, ...args]: Command): boolean => spawnSync(command, args).status === 0;

const isRoot = (): boolean => process.geteuid?.() === 0;

/** @returns undefined when this process may not mount, or cannot make the folder read-only. */
const readOnlyFirst = (folder: string): Command | undefined => {
  const first = ['unshare', '-m', '--', 'sh', '-c', READ_ONLY_FIRST, 'sh', folder] as const;
  return isRoot() && succeeds([...first, 'true']) ? first : undefined;
};

/** @returns what precedes a command so that the user runs it; undefined when it cannot be, or the user cannot enter the folder. */
const asUser = (folder: string, { uid, gid }: User): Command | undefined => {
  const ids = [`--reuid=${String(uid)}`, `--regid=${String(gid)}`];
  const user = ['setpriv', ...ids, '--clear-groups', '--no-new-privs', '--'] as const;
  return isRoot() && succeeds([...user, join(folder, 'penstock'), 'help']) ? user : undefined;
};

/** @returns the folder of this `node`, or of a copy beside the image if only that can be executed; undefined if neither can. */
const nodeFolderOf = (folder: string, user: Command): string | undefined => {
  const own = dirname(process.execPath);
  if (succeeds([...user, join(own, 'node'), '--version'])) return own;
  const copied = join(dirname(folder), 'node');
  mkdirSync(copied);
  copyFileSync(process.execPath, join(copied, 'node'));
  for (const path of [copied, join(copied, 'node')]) chmodSync(path, 0o755);
  return succeeds([...user, join(copied, 'node'), '--version']) ? copied : undefined;
};

const takeWriteRights = (folder: string): void => {
  for (const name of filesBelow(folder))
    if (!name.startsWith('node_modules/@penstock/'))
      chmodSync(join(folder, name), name === 'penstock' ? 0o555 : 0o444);
  chmodSync(folder, 0o555);
};

const rightsOf = (isReadOnly: boolean, isOther: boolean): string => {
  if (isReadOnly) return 'has a read-only file system';
  return isRoot() && !isOther ? 'is root and may write everywhere' : 'has no rights to write';
};

/**
 * Chooses how commands of a folder run without being able to write: as the user, in a file system that is read-only (root
 * on Linux); as the user, who owns nothing of the folder (root that may not mount); as this user, in such a file system
 * (the user can execute no node here); or as this user, without the rights to write, which keep no root from it.
 */
export const readOnly = (folder: string, user: User): ReadOnly => {
  const program = join(folder, 'penstock');
  const other = asUser(folder, user);
  const nodeFolder = other && nodeFolderOf(folder, other);
  const first = readOnlyFirst(folder);
  if (first === undefined && nodeFolder === undefined) takeWriteRights(folder);
  const before = [...(first ?? []), ...(nodeFolder === undefined ? [] : (other ?? []))];
  const isOther = nodeFolder !== undefined;
  const who = isOther ? `user ${String(user.uid)}` : 'this user';
  return {
    how: `as ${who}, who ${rightsOf(first !== undefined, isOther)}`,
    nodeFolder: nodeFolder ?? dirname(process.execPath),
    command: (name) => {
      const [start, ...rest] = [...before, program, name];
      return [start, ...rest];
    },
  };
};
