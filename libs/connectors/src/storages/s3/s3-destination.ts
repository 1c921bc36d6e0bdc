import type { FileDestination, NewFile } from '../../connector/file-destination';
import type { StorageContext } from '../../connector/file-storage';
import type { Settings } from '../../connector/connector';
import { untilGivenUp } from '../until-given-up';
import { MultipartUpload, S3Writer } from './multipart-upload';
import { partsOf } from './s3-parts';
import { s3Key } from './s3-requests';
import { s3BucketOf } from './s3-settings';
import { s3AbsolutePath } from './s3-storage';

const write = async (
  { path, contentType, bytes }: NewFile,
  settings: Settings,
  context: StorageContext,
  partBytes?: number,
  pausesMs?: readonly number[],
): Promise<void> => {
  const key = s3Key(path);
  const headers = { 'Content-Type': contentType };
  const writer = new S3Writer(s3BucketOf(settings), context, pausesMs);
  let upload: MultipartUpload | undefined;
  try {
    for await (const part of partsOf(untilGivenUp(bytes, context.signal), partBytes)) {
      if (part.isLast && upload === undefined)
        return await writer.put({ key, headers, body: part.bytes });
      upload ??= await writer.begin(key, headers);
      await upload.add(part.bytes);
    }
    await upload?.complete();
  } catch (error) {
    await upload?.abort();
    throw error;
  }
};

/**
 * Objects of a bucket. A large one is written in parts, and visible when the last one is there.
 *
 * @param partBytes of the first parts; default 8 MiB. Amazon takes no less than 5 MiB.
 * @param pausesMs before a request is made the second and the third time; default 200 ms and 2 s.
 */
export const s3Destination = (
  partBytes?: number,
  pausesMs?: readonly number[],
): FileDestination => ({
  isRepeatable: true,
  absolutePath: s3AbsolutePath,
  write: (file, settings, context) => write(file, settings, context, partBytes, pausesMs),
});
