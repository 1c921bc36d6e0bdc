import { FileFault } from '@penstock/files';
import { SftpRefusal, Unsupported } from './sftp-session';

/**
 * What a refusal of the server means; other errors are what they are.
 *
 * @param missing the message for a path at which there is nothing.
 * @param doing what was refused, such as `read`.
 */
export const sftpFault = (error: unknown, missing: string, doing: string): unknown => {
  if (error instanceof Unsupported)
    return new FileFault('Unavailable', `file cannot be ${doing}: the server does not offer it`);
  if (!(error instanceof SftpRefusal)) return error;
  if (error.isMissing) return new FileFault('InvalidPath', missing);
  if (error.isForbidden) return new FileFault('InvalidPath', `may not be ${doing} by the user`);
  return new FileFault('Unavailable', `file cannot be ${doing} (SFTP code ${String(error.code)})`);
};
