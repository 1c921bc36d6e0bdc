import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStart } from '@penstock/runtime';
import { checkDataFolder } from './check-data-folder';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'data-folder-'))));
afterEach(() => rm(folder, { recursive: true }));

const fill = async (...names: string[]): Promise<void> => {
  for (const name of names) await writeFile(join(folder, name), '');
};

it.each([
  ['is empty', []],
  ['holds what file systems create', ['lost+found', '.DS_Store']],
  ['holds what an interrupted first start left', ['penstock.lock', 'postgres.log', 'secret']],
])('accepts a folder that %s', async (_, names) => {
  await fill(...names);
  await checkDataFolder(folder);
});

it('accepts a folder that does not exist yet, nor its parents', async () => {
  await checkDataFolder(join(folder, 'a', 'b', 'c'));
});

it('accepts a folder with a database of Penstock, whatever else is there', async () => {
  await mkdir(join(folder, 'postgres'));
  await fill('postgres/penstock.password', 'notes.txt');
  await checkDataFolder(folder);
});

const refused = async (path: string, message: string): Promise<void> => {
  await expect(checkDataFolder(path)).rejects.toThrow(CannotStart);
  await expect(checkDataFolder(path)).rejects.toThrow(message);
};

it('refuses a folder with files of others, and names some', async () => {
  await fill('a.txt', 'b.txt', 'c.txt', 'd.txt');
  await refused(
    folder,
    'files of other programs (a.txt, b.txt, c.txt and 1 more): set PENSTOCK_DATA',
  );
});

it('refuses a folder whose database is of another program', async () => {
  await mkdir(join(folder, 'postgres'));
  await fill('postgres/PG_VERSION');
  await refused(folder, 'is not a database that Penstock created');
});

it('refuses a file, and a folder below a file', async () => {
  await fill('file');
  await refused(join(folder, 'file'), 'is a file: set PENSTOCK_DATA');
  await refused(join(folder, 'file', 'data'), 'cannot be opened (ENOTDIR)');
});
