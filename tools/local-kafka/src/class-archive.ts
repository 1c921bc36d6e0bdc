import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withInstallLock } from './install-lock';
import { archiveOf } from './java';
import type { Cluster } from './start-cluster';

/**
 * Makes the archive of the classes that a broker loads, if there is none: once, in some ten seconds.
 *
 * @param start starts one broker that writes its classes into the file when it stops in order.
 */
export const makeArchive = async (
  libs: string,
  start: (archiveTo: string) => Promise<Cluster>,
): Promise<void> => {
  const archive = archiveOf(libs);
  if (existsSync(archive)) return;
  await withInstallLock(join(dirname(libs), 'archive.lock'), async () => {
    if (existsSync(archive)) return;
    const partial = `${archive}.new`;
    const cluster = await start(partial);
    await cluster.nodes[0]?.stop();
    await cluster.stop();
    // A broker that was killed, since a busy machine has not stopped it in time, has written none: the next start does.
    if (existsSync(partial)) await rename(partial, archive);
  });
};
