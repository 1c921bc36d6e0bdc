import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from './folder-lock';
import { identify } from './process-identity';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'folder-lock-'))));
afterEach(() => rm(folder, { recursive: true }));

const leave = (text: string) => writeFile(join(folder, 'penstock.lock'), text);

it('refuses while the lock is held, naming folder and holder, and succeeds once it is released', async () => {
  const release = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toMatchObject({
    code: 'FolderInUse',
    message: expect.stringMatching(`${folder} .*process ${process.pid}:`) as string,
  });
  await release();
  await (
    await lockFolder(folder)
  )();
  expect(await readdir(folder)).toEqual([]);
});

it.each([
  ['a process that has ended', `${2 ** 22 - 1} 1`],
  ['a process whose pid another has by now', `${process.pid} 1`],
  ['nobody', ''],
])('takes over from %s', async (_, text) => {
  await leave(text);
  await lockFolder(folder);
  expect(await readdir(folder)).toEqual(['penstock.lock']);
});

it('refuses while the holder that the lock file names is running', async () => {
  const holder = await identify(process.ppid);
  await leave(`${holder?.pid} ${holder?.startedAt}`);
  await expect(lockFolder(folder)).rejects.toThrow(`process ${process.ppid}`);
});

it('is acquired by exactly one of many at once, also over a dead holder', async () => {
  await leave(`${process.pid} 1`);
  const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => lockFolder(folder)));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
