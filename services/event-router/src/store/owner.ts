import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names this process among all that may hold a lease: host, boot and pid namespace, process id and its start time. A successor on
 * the same host can tell that the owner is dead and need not wait for its lease to lapse.
 */
export interface Owner {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** Clock ticks since boot at which the process started; empty where the system does not tell. */
  readonly started: string;
}

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
};

const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
};

/** The same number is another process in another container. */
const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
};

export const thisOwner = (): Owner => ({
  host: hostname(),
  boot: `${bootId()} ${pidNamespace()}`,
  pid: process.pid,
  started: startOf(process.pid),
});

/** Only true when it is certain: same host, same boot, and the process is gone or was replaced. */
export const isDead = (owner: Owner, me: Owner): boolean => {
  if (owner.host !== me.host || owner.boot !== me.boot || me.boot === '') return false;
  if (owner.started === '' || me.started === '') return false;
  return startOf(owner.pid) !== owner.started;
};
