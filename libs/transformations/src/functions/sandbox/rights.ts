import { accessSync, constants, openSync, closeSync } from 'node:fs';

/** The account without rights of Unix systems. */
const NOBODY = 65_534;

const readableAs = (user: number, file: string): boolean => {
  process.seteuid?.(user);
  try {
    closeSync(openSync(file, constants.O_RDONLY));
    return true;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
  }
};

/** Root becomes nobody for good, unless nobody could not read our own files. Other accounts stay as they are. */
export const dropRights = (ownFile: string): void => {
  accessSync(ownFile);
  if (process.getuid?.() !== 0 || !readableAs(NOBODY, ownFile)) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
};
