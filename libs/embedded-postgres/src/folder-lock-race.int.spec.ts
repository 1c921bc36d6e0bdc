import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from './folder-lock';
import { identify, type ProcessIdentity } from './process-identity';

/** Called when the holder of a lock is found dead, before its lock is taken over. */
let mockFoundDead = (): Promise<void> => Promise.resolve();

jest.mock('./process-identity', () => {
  const actual = jest.requireActual<typeof import('./process-identity')>('./process-identity');
  return {
    ...actual,
    isRunning: async (holder: ProcessIdentity): Promise<boolean> => {
      const isAlive = await actual.isRunning(holder);
      if (!isAlive) await mockFoundDead();
      return isAlive;
    },
  };
});

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'folder-lock-'))));
afterEach(() => rm(folder, { recursive: true }));

it('leaves alone a lock that another process has taken over since it was found dead', async () => {
  const file = join(folder, 'penstock.lock');
  const parent = await identify(process.ppid);
  const taken = `${String(parent?.pid)} ${String(parent?.startedAt)}`;
  await writeFile(file, `${process.pid} 1`);
  mockFoundDead = () => writeFile(file, taken);
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'FolderInUse' });
  expect(await readFile(file, 'utf8')).toBe(taken);
  expect(await readdir(folder)).toEqual(['penstock.lock']);
});
