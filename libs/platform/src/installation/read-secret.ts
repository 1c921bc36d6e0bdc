import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotStart } from '@penstock/runtime';

/** As for `PENSTOCK_SECRET`. */
const MIN_CHARACTERS = 32;

/** The file that a data folder has its secret in. */
export const secretFileIn = (dataDir: string): string => join(dataDir, 'secret');

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Reads the secret of a data folder.
 *
 * @returns undefined when it has none.
 * @throws CannotStart when the file is shorter than a secret, as versions could leave it that did not write it as a whole.
 */
export const readSecret = async (dataDir: string): Promise<string | undefined> => {
  const file = secretFileIn(dataDir);
  const secret = await textOf(file);
  if (secret !== undefined && secret.length < MIN_CHARACTERS)
    throw new CannotStart(
      `${file} is not a whole secret: restore it from a backup; if no start has shown an API key yet, delete it`,
    );
  return secret;
};
