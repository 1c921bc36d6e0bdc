import { codeOf } from '@penstock/egress';
import { FileFault } from '@penstock/files';
import { types } from 'node:util';

/** Codes of the system that say something about the path; others are about the machine. */
const OF_THE_PATH: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'is a folder',
  ENXIO: 'is not a file',
  ELOOP: 'leads to no file: its symbolic links form a loop',
  ENAMETOOLONG: 'is too long for the file system',
  EACCES: 'may not be read by the service',
  EPERM: 'may not be read by the service',
};

/** Where writing differs from reading. */
const OF_THE_PATH_WRITTEN: Readonly<Record<string, string>> = {
  ...OF_THE_PATH,
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'may not be written by the service',
  EPERM: 'may not be written by the service',
  EROFS: 'may not be written by the service',
};

const fault = (
  error: unknown,
  ofThePath: Readonly<Record<string, string>>,
  what: string,
): FileFault => {
  if (error instanceof FileFault) return error;
  const code = types.isNativeError(error) ? codeOf(error) : '';
  const message = ofThePath[code];
  return message === undefined
    ? new FileFault('Unavailable', `file cannot be ${what} (${code})`, { cause: error })
    : new FileFault('InvalidPath', message);
};

/** Why a file cannot be read. */
export const readFault = (error: unknown): FileFault => fault(error, OF_THE_PATH, 'read');

/** Why a file cannot be written. */
export const writeFault = (error: unknown): FileFault =>
  fault(error, OF_THE_PATH_WRITTEN, 'written');
