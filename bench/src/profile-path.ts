import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a service that is measured leaves the profile of its CPU. */
export const profilePath = (pid: number): string =>
  join(tmpdir(), `penstock-bench-${pid}.cpuprofile`);
