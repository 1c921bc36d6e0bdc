import type { Endings } from './endings';
import type { KeyQueue } from './key-queue';

/** Removes the loaded rows of the key from memory; they will be loaded again. */
export const unloadRows = (key: KeyQueue, endings: Endings): void => {
  for (const row of key.unload()) {
    row.trail?.end();
    endings.letGo(key, row);
  }
};
