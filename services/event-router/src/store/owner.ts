import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies a process among all that may hold a lease. Another process on the same host can detect that the owner is
 * dead, and need not wait until its lease has lapsed.
 */
export interface Owner {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot; empty where the system does not provide it. */
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

/** The pid namespace: the same process id is another process in another container. */
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

/** Whether the owner is certainly dead: same host and boot, and its process is gone or the process id was reused. */
export const isDead = (owner: Owner, me: Owner): boolean => {
  if (owner.host !== me.host || owner.boot !== me.boot || me.boot === '') return false;
  if (owner.started === '' || me.started === '') return false;
  return startOf(owner.pid) !== owner.started;
};
