import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from './node-flags.mjs';

const PROGRAM = join('libs', 'runtime', 'dist', 'program');

/** Folders of the compiled code of services. */
const servicesOf = (root) =>
  existsSync(join(root, 'services'))
    ? readdirSync(join(root, 'services'))
        .map((name) => join(root, 'services', name, 'dist'))
        .filter((folder) => existsSync(join(folder, 'main.js')))
    : [];

/** The services of a checkout, or of what is laid out, whose pack is not of what is there now. */
export const unpackedServices = (root) => {
  const folders = servicesOf(root);
  if (folders.length === 0) return [];
  const load = createRequire(join(root, PROGRAM, 'pack.js'));
  const { isPackCurrent, PACK_NAME } = load('./pack.js');
  return folders.filter((folder) => !isPackCurrent(join(folder, PACK_NAME)));
};

/**
 * Packs the modules of services, for node with the flags that it starts them with. A service that cannot be packed starts
 * from its files, and later: that is no error.
 */
export const packServices = async (root, folders) => {
  const left = [...folders];
  const packNext = async () => {
    for (let folder = left.shift(); folder !== undefined; folder = left.shift()) {
      const args = [...NODE_FLAGS, join(root, PROGRAM, 'record-main.js'), folder];
      await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, packNext));
};
