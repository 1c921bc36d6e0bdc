import { FileFault } from '@penstock/files';
import type { Settings } from '../../connector/connector';
import type { FileStorage } from '../../connector/file-storage';
import { checkPathText, stepsOf } from '../check-path';
import { downloadedFile, unavailable } from '../downloaded-file';
import { httpGetHeaders, httpGetOrigin } from './http-get-settings';

/** Source: a transfer of a file ends after 60 s without a byte. */
const IDLE_MS = 60_000;

/** @throws FileFault InvalidPath, InvalidPlaceholder */
const urlOf = (path: string, settings: Settings): string => {
  const [location = '', ...query] = path.split('?');
  checkPathText(path);
  stepsOf(location);
  const url = new URL(httpGetOrigin(settings));
  url.pathname = location.replace(/^\//, '');
  url.search = query.join('?');
  return url.href;
};

/** Files that a web server answers. What follows a `?` in a path is the query of the request. */
export const httpGetStorage: FileStorage = {
  absolutePath: urlOf,
  open: async (path, settings, { http, signal }) => {
    const url = urlOf(path, settings);
    const headers = httpGetHeaders(settings);
    const download = await http
      .download({ url, headers, idleMs: IDLE_MS }, signal)
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    if (download.status === 200) return downloadedFile(download);
    download.discard();
    if (download.status === 404 || download.status === 410)
      throw new FileFault('InvalidPath', 'there is no such file');
    throw new FileFault('Unavailable', `answered ${String(download.status)}`);
  },
};
