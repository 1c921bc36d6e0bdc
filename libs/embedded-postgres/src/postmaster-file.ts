import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The content of a running server's `postmaster.pid`. Source: PostgreSQL's `miscadmin.h`, LOCK_FILE_LINE_*. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

export const postmasterPath = (clusterDir: string): string => join(clusterDir, 'postmaster.pid');

/** @returns undefined for an incomplete file: its server is still writing it, or died while writing. */
export const parsePostmasterFile = (text: string): PostmasterFile | undefined => {
  const lines = text.split('\n').map((line) => line.trim());
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return undefined;
  return { pid, port, ready: lines[7] === 'ready' };
};

export const readPostmasterFile = async (clusterDir: string): Promise<PostmasterFile | undefined> =>
  readFile(postmasterPath(clusterDir), 'utf8').then(parsePostmasterFile, () => undefined);
