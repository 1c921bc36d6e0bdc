import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { profilePath } from './profile-path';

/** Preloaded into a service to be profiled: SIGUSR2 begins a CPU profile, the next one ends and writes it. */
const session = new Session();
session.connect();
let isRunning = false;

const write = (error: Error | null, profile: unknown): void => {
  if (error !== null) throw error;
  const path = profilePath(process.pid);
  writeFileSync(`${path}.part`, JSON.stringify(profile));
  renameSync(`${path}.part`, path);
};

process.on('SIGUSR2', () => {
  if (isRunning)
    session.post('Profiler.stop', (error, result) => {
      write(error, result.profile);
    });
  else
    session.post('Profiler.enable', () => {
      session.post('Profiler.start');
    });
  isRunning = !isRunning;
});
