import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';

const ROOT = resolve(__dirname, '..', '..', '..');
/** What makes a cluster. */
const SOURCES = join(ROOT, 'libs', 'embedded-postgres', 'src');
const PACKAGES = join(ROOT, 'package-lock.json');
const CACHE = join(ROOT, '.cache', 'clusters');

const CLUSTER = 'postgres';

const copy = async (from: string, to: string): Promise<void> => {
  await promisify(execFile)('cp', ['-a', from, to]);
};

/** Makes a cluster as a first start does, and stops its server in order. */
const make = async (target: string): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), 'penstock-cluster-'));
  try {
    // As root, the database runs as another user, who must be able to enter the folder.
    await chmod(scratch, 0o711);
    await (await startEmbeddedPostgres({ dataDir: scratch })).stop();
    await mkdir(dirname(target), { recursive: true });
    const unfinished = await mkdtemp(`${target}-`);
    await copy(join(scratch, CLUSTER), unfinished);
    // Where another process has made one meanwhile, that one is as good.
    await rename(join(unfinished, CLUSTER), target).catch(() => undefined);
    await rm(unfinished, { recursive: true, force: true });
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
};

/** The cluster that is copied: made once for all runs, until what makes it changes. */
const original = async (): Promise<string> => {
  const hash = createHash('sha256').update(readFileSync(PACKAGES));
  for (const name of readdirSync(SOURCES).sort())
    hash.update(`\0${name}\0`).update(readFileSync(join(SOURCES, name)));
  const account = String(process.geteuid?.());
  const target = join(CACHE, hash.update(account).digest('hex').slice(0, 12));
  if (!existsSync(target)) await make(target);
  return target;
};

/**
 * Puts an empty cluster into a data folder that has none, as the first start of its server would, which takes six times
 * as much CPU. All these clusters have the same password.
 */
export const lendCluster = async (dataDir: string): Promise<void> => {
  const target = join(dataDir, CLUSTER);
  if (existsSync(target)) return;
  await mkdir(dataDir, { recursive: true });
  await copy(await original(), target);
};
