import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readSecret, secretFileIn } from '@penstock/platform';

const SECRET_BYTES = 32;
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
  await writeWhole(secretFileIn(dataDir), `${secret}\n`, join(dataDir, '.secret.new'));
  return secret;
};
