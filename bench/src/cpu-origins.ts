import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from './process-usage';
import { profilePath } from './profile-path';

/** The origin of the code that a thread runs. */
export type Origin = 'own code' | 'packages' | 'Node' | 'garbage collector' | 'native';

const POLL_MS = 50;
const PATIENCE_MS = 30_000;

const originOf = ({ functionName, url }: Profiler.ProfileNode['callFrame']): Origin | undefined => {
  if (functionName === '(idle)' || functionName === '(root)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (functionName === '(program)') return 'native';
  if (url === '' || url.startsWith('node:')) return 'Node';
  return url.includes('/node_modules/') ? 'packages' : 'own code';
};

/** Begin and end of a time, in milliseconds since 1970. */
export type Window = readonly [fromMs: number, toMs: number];

/** Difference between the time since 1970 and the monotonic clock, in microseconds. */
const epochMicros = (): number => Date.now() * 1_000 - Number(process.hrtime.bigint() / 1_000n);

/** Merges overlapping windows and sorts them. */
export const merged = (windows: readonly Window[]): Window[] => {
  const sorted = [...windows].sort(([a], [b]) => a - b);
  const apart: Window[] = [];
  for (const [fromMs, toMs] of sorted) {
    const last = apart.at(-1);
    if (last === undefined || last[1] < fromMs) apart.push([fromMs, toMs]);
    else apart[apart.length - 1] = [last[0], Math.max(last[1], toMs)];
  }
  return apart;
};

/** Milliseconds of a time within the windows, which must not overlap. */
export const withinMs = (fromMs: number, toMs: number, windows: readonly Window[]): number =>
  windows.reduce(
    (sum, [from, to]) => sum + Math.max(0, Math.min(toMs, to) - Math.max(fromMs, from)),
    0,
  );

/**
 * Microseconds that the main thread has spent in the code of each origin, without what that code calls.
 *
 * @param windows only within these merged windows; default: all the time.
 */
const byOrigin = (
  { nodes, startTime, samples = [], timeDeltas = [] }: Profiler.Profile,
  windows?: readonly Window[],
): ReadonlyMap<Origin, number> => {
  const origins = new Map(nodes.map(({ id, callFrame }) => [id, originOf(callFrame)]));
  const sums = new Map<Origin, number>();
  let atMicros = startTime + epochMicros();
  for (const [index, id] of samples.entries()) {
    const fromMicros = atMicros;
    atMicros += timeDeltas[index] ?? 0;
    const origin = origins.get(id);
    if (origin === undefined) continue;
    const micros =
      windows === undefined
        ? atMicros - fromMicros
        : 1e3 * withinMs(fromMicros / 1e3, atMicros / 1e3, windows);
    sums.set(origin, (sums.get(origin) ?? 0) + micros);
  }
  return sums;
};

const profileOf = async (pid: number): Promise<Profiler.Profile> => {
  const path = profilePath(pid);
  for (const endMs = Date.now() + PATIENCE_MS; !existsSync(path); await sleep(POLL_MS))
    if (Date.now() > endMs) throw new Error(`process ${pid} has written no profile`);
  const profile = JSON.parse(await readFile(path, 'utf8')) as Profiler.Profile;
  await rm(path);
  return profile;
};

/** Ends profiles. @returns microseconds by origin, of all services together; only within the windows, if given. */
export type EndProfiles = (windows?: readonly Window[]) => Promise<ReadonlyMap<Origin, number>>;

/** The services among measured processes, which are profiled. */
export const servicesOf = (processes: Usage): readonly number[] =>
  [...processes].filter(([name]) => name !== 'postgres' && name !== 'kafka').map(([, pid]) => pid);

/** Profiles the services, each of which was started with `profiled.js`. @returns a function that ends the profiles. */
export const beginProfiles = (processes: Usage): EndProfiles => {
  const services = servicesOf(processes);
  const signal = (): void => {
    for (const pid of services) process.kill(pid, 'SIGUSR2');
  };
  signal();
  return async (windows) => {
    signal();
    const sums = new Map<Origin, number>();
    for (const pid of services)
      for (const [origin, micros] of byOrigin(await profileOf(pid), windows))
        sums.set(origin, (sums.get(origin) ?? 0) + micros);
    return sums;
  };
};
