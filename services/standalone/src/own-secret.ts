import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotStart } from '@penstock/runtime';

const SECRET_BYTES = 32;
/** As for `PENSTOCK_SECRET`. */
const MIN_CHARACTERS = 32;

const fileIn = (dataDir: string): string => join(dataDir, 'secret');

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * @returns the secret of a data folder; undefined when it has none.
 * @throws CannotStart when the file is shorter than a secret, as versions could leave it that did not write it as a whole.
 */
export const readSecret = async (dataDir: string): Promise<string | undefined> => {
  const file = fileIn(dataDir);
  const secret = await textOf(file);
  if (secret !== undefined && secret.length < MIN_CHARACTERS)
    throw new CannotStart(
      `${file} is not a whole secret: restore it from a backup; if no start has shown an API key yet, delete it`,
    );
  return secret;
};

/** A process that is killed meanwhile leaves no file that is not whole. The next one overwrites what it has left. */
const writeWhole = async (file: string, text: string, unfinished: string): Promise<void> => {
  const written = await open(unfinished, 'w', 0o600);
  try {
    await chmod(unfinished, 0o600);
    await written.writeFile(text);
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(unfinished, file);
};

/**
 * Reads or creates the key that encrypts secrets at rest; readable by this user only. The caller holds the data folder, so
 * that no other process creates one at the same time.
 *
 * @throws CannotStart as {@link readSecret}.
 */
export const ownSecret = async (dataDir: string): Promise<string> => {
  const existing = await readSecret(dataDir);
  if (existing !== undefined) return existing;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await mkdir(dataDir, { recursive: true });
  await writeWhole(fileIn(dataDir), `${secret}\n`, join(dataDir, '.secret.new'));
  return secret;
};
