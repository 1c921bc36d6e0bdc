import { constants, type Stats } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CannotStart } from '@penstock/runtime';

/** What Penstock creates in a data folder, and what file systems and tools create in every folder. */
const EXPECTED =
  /^(postgres|postgres\.log|postgres\.new.*|penstock\.lock.*|binaries-.*|secret|lost\+found|\..*)$/;

const SHOWN = 3;
const ANOTHER = 'set PENSTOCK_DATA to another folder';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** @returns undefined when there is nothing at the path. @throws CannotStart when nobody can tell. */
const statOf = async (path: string): Promise<Stats | undefined> => {
  try {
    return await stat(path);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new CannotStart(`the data folder ${path} cannot be opened (${code}): ${ANOTHER}`, {
      cause,
    });
  }
};

const checkWritable = async (folder: string, { uid }: Stats, what: string): Promise<void> => {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new CannotStart(
      `${what} cannot be written to by this user (${String(process.geteuid?.())}); it belongs to user ${String(uid)}: start as that user, change its owner, or ${ANOTHER}`,
      { cause },
    );
  }
};

/** Folders of other programs keep their files, and Penstock does not mix with them. */
const checkOwn = async (folder: string): Promise<void> => {
  const names = await readdir(folder);
  const postgres = join(folder, 'postgres');
  const isOurs = !names.includes('postgres') || (await isCluster(postgres));
  if (!isOurs)
    throw new CannotStart(
      `${postgres} is not a database that Penstock created: ${ANOTHER}, or set DATABASE_URL to use it`,
    );
  const others = names.filter((name) => !EXPECTED.test(name));
  if (names.includes('postgres') || others.length === 0) return;
  const shown = others.slice(0, SHOWN).join(', ');
  const more = others.length > SHOWN ? ` and ${String(others.length - SHOWN)} more` : '';
  throw new CannotStart(
    `the data folder ${folder} contains files of other programs (${shown}${more}): ${ANOTHER}`,
  );
};

/** A link whose target is gone, or a folder that is closed to this user, is explained by who opens it. */
const isCluster = async (postgres: string): Promise<boolean> => {
  try {
    return (await readdir(postgres)).includes('penstock.password');
  } catch {
    return true;
  }
};

/**
 * Checks that the data folder is one that Penstock created, or one that it can create.
 *
 * @throws CannotStart
 */
export const checkDataFolder = async (folder: string): Promise<void> => {
  const found = await statOf(folder);
  if (found?.isDirectory() === false)
    throw new CannotStart(`the data folder ${folder} is a file: ${ANOTHER}`);
  if (found === undefined) return checkParent(folder);
  await checkWritable(folder, found, `the data folder ${folder}`);
  await checkOwn(folder);
};

const checkParent = async (folder: string): Promise<void> => {
  let parent = dirname(folder);
  let found = await statOf(parent);
  for (; found === undefined; found = await statOf(parent)) parent = dirname(parent);
  if (!found.isDirectory())
    throw new CannotStart(`the data folder ${folder} is below a file, ${parent}: ${ANOTHER}`);
  await checkWritable(parent, found, `${parent}, in which the data folder is to be created,`);
};
