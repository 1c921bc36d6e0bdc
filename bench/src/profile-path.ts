import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Path of the CPU profile of a measured service. */
export const profilePath = (pid: number): string =>
  join(tmpdir(), `penstock-bench-${pid}.cpuprofile`);
