import type { Settings } from '../../connector/connector';
import type { FileStorage } from '../../connector/file-storage';
import { downloadedFile, unavailable } from '../downloaded-file';
import { IDLE_MS } from '../idle-time';
import { s3Fault, s3Key, signed } from './s3-requests';
import { s3BucketOf } from './s3-settings';

/** Where an object is, for people. @throws FileFault InvalidPath, InvalidPlaceholder */
export const s3AbsolutePath = (path: string, settings: Settings): string =>
  `s3://${s3BucketOf(settings).bucket}/${s3Key(path)}`;

/** Objects of a bucket of Amazon S3, or of a store that is compatible with it. */
export const s3Storage: FileStorage = {
  absolutePath: s3AbsolutePath,
  open: async (path, settings, { http, signal }) => {
    const bucket = s3BucketOf(settings);
    const { url, headers } = await signed(bucket, { method: 'GET', key: s3Key(path) });
    const download = await http
      .download({ url, headers, idleMs: IDLE_MS }, signal)
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    if (download.status === 200) return downloadedFile(download);
    download.discard();
    throw s3Fault(bucket, download);
  },
};
