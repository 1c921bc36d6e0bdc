import { FileFault } from '@penstock/files';
import type { FileDestination, NewFile } from '../../connector/file-destination';
import type { StorageContext } from '../../connector/file-storage';
import { NoAnswer, NotAllowed } from '../../connector/guarded-http';
import type { Settings } from '../../connector/connector';
import { refusedAnswer, unavailable } from '../downloaded-file';
import { IDLE_MS } from '../idle-time';
import { webServerHeaders } from './web-server-settings';
import { webServerUrl } from './web-server-url';

/** Source: runs, 13. */
const TAKEN = new Set([200, 201, 202, 204]);

/** The headers of the settings; they may name another type. */
const headersOf = (settings: Settings, contentType: string): Readonly<Record<string, string>> => {
  const given = webServerHeaders(settings);
  const hasType = Object.keys(given).some((name) => name.toLowerCase() === 'content-type');
  return hasType ? given : { ...given, 'Content-Type': contentType };
};

const post = async (
  { path, contentType, bytes }: NewFile,
  settings: Settings,
  { http, signal }: StorageContext,
): Promise<void> => {
  const { status } = await http
    .upload(
      {
        method: 'POST',
        url: webServerUrl(path, settings),
        headers: headersOf(settings, contentType),
        bytes,
        idleMs: IDLE_MS,
      },
      signal,
    )
    .catch((error: unknown) => {
      if (!(error instanceof NoAnswer) || error instanceof NotAllowed) throw unavailable(error);
      throw new FileFault(
        'Unavailable',
        `${error.message}; the server may have taken the file, or a part of it`,
      );
    });
  if (!TAKEN.has(status)) throw refusedAnswer(status);
};

/**
 * A web server to which files are posted as they are made, in one request that is never repeated. What it does with a
 * body that ends early is its own affair: such a body has no proper end.
 */
export const httpPostDestination: FileDestination = {
  isRepeatable: false,
  absolutePath: webServerUrl,
  write: post,
};
