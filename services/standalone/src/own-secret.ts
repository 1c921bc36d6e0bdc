import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SECRET_BYTES = 32;

const fileIn = (dataDir: string): string => join(dataDir, 'secret');

/** @returns the secret of a data folder; undefined when it has none. */
export const readSecret = async (dataDir: string): Promise<string | undefined> => {
  try {
    return (await readFile(fileIn(dataDir), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Reads or creates the key that encrypts secrets at rest; readable by this user only. */
export const ownSecret = async (dataDir: string): Promise<string> => {
  const existing = await readSecret(dataDir);
  if (existing !== undefined) return existing;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), `${secret}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(fileIn(dataDir), 0o600);
  return secret;
};
