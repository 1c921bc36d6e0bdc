import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** A file system in memory. */
const MEMORY = '/dev/shm';
/** Much more than the data of all specs. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Returns where data of tests is: in memory where that is large enough, since no spec cuts off the power. */
export const fastFolder = async (): Promise<string> => {
  const found = await statfs(MEMORY).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
};
