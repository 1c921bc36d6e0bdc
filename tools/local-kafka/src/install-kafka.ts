import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withInstallLock } from './install-lock';

const run = promisify(execFile);

const PROJECT = join(__dirname, '..');
const CACHE = join(PROJECT, '..', '..', '.cache', 'kafka-libs');

/** Enough for 44 MB over a slow connection; Maven itself gives up on a dead mirror much earlier. */
const DOWNLOAD_TIMEOUT_MS = 600_000;

/**
 * Downloads the jars of `pom.xml`, if missing, to `.cache/kafka-libs/<hash of the pom>` at the root of the
 * repository, so that a changed version gets a new folder. The folder is created atomically.
 *
 * @returns the folder of the jars.
 * @throws Error when Maven is missing or a download fails; a later call tries again.
 */
export const installKafka = async (): Promise<string> => {
  const pom = join(PROJECT, 'pom.xml');
  const digest = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex');
  const libs = join(CACHE, digest.slice(0, 12));
  if (existsSync(libs)) return libs;
  await mkdir(CACHE, { recursive: true });
  await withInstallLock(join(CACHE, 'install.lock'), async () => {
    if (!existsSync(libs)) await download(pom, libs);
  });
  return libs;
};

const download = async (pom: string, libs: string): Promise<void> => {
  const partial = `${libs}.${randomUUID()}`;
  const goal = 'dependency:copy-dependencies';
  const options = [`-DoutputDirectory=${partial}`, '-DincludeScope=runtime'];
  try {
    await run('mvn', ['-q', '-B', '-f', pom, goal, ...options], { timeout: DOWNLOAD_TIMEOUT_MS });
    await rename(partial, libs);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    throw new Error('the jars of Kafka could not be fetched (Maven and Java 17 are needed)', {
      cause,
    });
  }
};
