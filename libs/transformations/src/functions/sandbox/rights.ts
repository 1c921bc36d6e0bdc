import { accessSync, constants, openSync, closeSync } from 'node:fs';

/** The uid of `nobody` on Unix systems. */
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

/** Switches from root to `nobody` for good, unless `nobody` cannot read our own files. Other accounts are kept. */
export const dropRights = (ownFile: string): void => {
  accessSync(ownFile);
  if (process.getuid?.() !== 0 || !readableAs(NOBODY, ownFile)) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
};
