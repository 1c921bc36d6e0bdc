import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './checkout';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How a process is kept from writing, and the command of one. */
export interface ReadOnly {
  readonly how: string;
  readonly command: (service: string) => readonly [string, ...string[]];
}

/** Makes the whole file system read-only for this process, and starts a program as another user, without rights. */
const IN_READ_ONLY_ROOT = `
  user=$1 group=$2; shift 2
  mount --make-rprivate / && mount -o remount,bind,ro / || exit 1
  if touch "$(dirname "$1")/written" 2>/dev/null; then echo 'the file system can be written' >&2; exit 1; fi
  exec setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs -- "$@"`;

const canUnshare = (): boolean =>
  process.geteuid?.() === 0 &&
  spawnSync('unshare', ['-m', '--', 'sh', '-c', 'mount --make-rprivate /']).status === 0;

const takeWriteRights = (folder: string): void => {
  for (const name of filesBelow(folder))
    if (!name.startsWith('node_modules/@penstock/'))
      chmodSync(join(folder, name), name === 'penstock' ? 0o555 : 0o444);
  chmodSync(folder, 0o555);
};

/**
 * Chooses how services of a folder run without being able to write: as the user in a file system that is read-only as a
 * whole (root on Linux); as the user, who owns nothing of the folder (root that may not mount); or as this user, without
 * the rights to write.
 */
export const readOnly = (folder: string, { uid, gid }: User): ReadOnly => {
  const program = join(folder, 'penstock');
  const user = [String(uid), String(gid)];
  if (canUnshare())
    return {
      how: `as user ${String(uid)} in a read-only file system`,
      command: (service) => [
        'unshare',
        ...['-m', '--', 'sh', '-c', IN_READ_ONLY_ROOT, 'sh', ...user, program, service],
      ],
    };
  if (process.geteuid?.() === 0)
    return {
      how: `as user ${String(uid)}, who may not write to the folder`,
      command: (service) => [
        'setpriv',
        ...[`--reuid=${String(uid)}`, `--regid=${String(gid)}`, '--clear-groups'],
        ...['--no-new-privs', '--', program, service],
      ],
    };
  takeWriteRights(folder);
  return { how: 'without the rights to write', command: (service) => [program, service] };
};
