import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fastFolder } from '@penstock/test-servers';

/** Makes a folder for an installation and its database. */
export const scratchFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(await fastFolder(), 'penstock-e2e-'));
  // As root, the database runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  return folder;
};
