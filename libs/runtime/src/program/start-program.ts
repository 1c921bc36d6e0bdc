import { join } from 'node:path';
import { onSupportedNode } from './on-supported-node';
import { PACK_NAME, readPack } from './pack';
import { loadFromPack } from './packed-modules';

/**
 * Starts a program, with the modules of the pack in its folder where there is one that is current. Ends the process with
 * 1 when its Node is too old.
 *
 * @param start imports the program itself: what was imported before comes from no pack, and some packages do not even
 *   load on an older Node.
 */
export const startProgram = (folder: string, start: () => Promise<void>): void => {
  onSupportedNode(() => {
    const pack = readPack(join(folder, PACK_NAME));
    if (pack === undefined) return start();
    const end = loadFromPack(pack);
    return start().finally(end);
  });
};
