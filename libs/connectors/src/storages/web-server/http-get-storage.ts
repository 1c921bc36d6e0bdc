import { FileFault } from '@penstock/files';
import type { FileStorage } from '../../connector/file-storage';
import { downloadedFile, refusedAnswer, unavailable } from '../downloaded-file';
import { IDLE_MS } from '../idle-time';
import { webServerHeaders } from './web-server-settings';
import { webServerUrl } from './web-server-url';

/** Files that a web server answers. What follows a `?` in a path is the query of the request. */
export const httpGetStorage: FileStorage = {
  absolutePath: webServerUrl,
  open: async (path, settings, { http, signal }) => {
    const url = webServerUrl(path, settings);
    const headers = webServerHeaders(settings);
    const download = await http
      .download({ url, headers, idleMs: IDLE_MS }, signal)
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    if (download.status === 200) return downloadedFile(download);
    download.discard();
    if (download.status === 404 || download.status === 410)
      throw new FileFault('InvalidPath', 'there is no such file');
    throw refusedAnswer(download.status);
  },
};
