import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from './process-usage';
import { profilePath } from './profile-path';

/** Whose code it is that a thread runs. */
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

/** Microseconds that the main thread has spent in the code of each origin, what that calls left out. */
export const byOrigin = ({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): ReadonlyMap<Origin, number> => {
  const origins = new Map(nodes.map(({ id, callFrame }) => [id, originOf(callFrame)]));
  const sums = new Map<Origin, number>();
  for (const [index, id] of samples.entries()) {
    const origin = origins.get(id);
    if (origin !== undefined) sums.set(origin, (sums.get(origin) ?? 0) + (timeDeltas[index] ?? 0));
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

/** Profiles our services, each of which was started with `profiled.js`. @returns what ends it. */
export const beginProfiles = (processes: Usage): (() => Promise<ReadonlyMap<Origin, number>>) => {
  const services = [...processes].filter(([name]) => name !== 'postgres' && name !== 'kafka');
  const signal = (): void => {
    for (const [, pid] of services) process.kill(pid, 'SIGUSR2');
  };
  signal();
  return async () => {
    signal();
    const sums = new Map<Origin, number>();
    for (const [, pid] of services)
      for (const [origin, micros] of byOrigin(await profileOf(pid)))
        sums.set(origin, (sums.get(origin) ?? 0) + micros);
    return sums;
  };
};
