import { AwsV4Signer } from 'aws4fetch';
import { FileFault } from '@penstock/files';
import type { Settings } from '../../connector/connector';
import type { FileStorage } from '../../connector/file-storage';
import type { Download } from '../../connector/guarded-http';
import { stepsOf } from '../check-path';
import { downloadedFile, unavailable } from '../downloaded-file';
import { type S3Bucket, s3BucketOf } from './s3-settings';

/** Source: Amazon S3, names of object keys. */
const MAX_KEY_BYTES = 1_024;
/** Source: a transfer of a file ends after 60 s without a byte. */
const IDLE_MS = 60_000;
/** SHA-256 of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** @throws FileFault InvalidPath, InvalidPlaceholder */
const checkKey = (path: string): string => {
  stepsOf(path);
  if (Buffer.byteLength(path) > MAX_KEY_BYTES)
    throw new FileFault('InvalidPath', `must be at most ${String(MAX_KEY_BYTES)} bytes long`);
  return path;
};

/** Encodes all that RFC 3986 does not leave free, as signatures need it. */
const encoded = (step: string): string =>
  encodeURIComponent(step).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const signed = async (
  { url, region, accessKeyId, secretAccessKey }: S3Bucket,
  key: string,
): Promise<{ url: string; headers: Record<string, string> }> => {
  const request = await new AwsV4Signer({
    url: `${url}/${key.split('/').map(encoded).join('/')}`,
    headers: { 'X-Amz-Content-Sha256': EMPTY },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
  }).sign();
  return { url: request.url.href, headers: Object.fromEntries(request.headers) };
};

const MISSING: Readonly<Record<number, string>> = {
  404: 'there is no such file, or no such bucket',
  410: 'there is no such file',
};

/** @throws FileFault for an answer without the file. */
const succeeded = (download: Download, region: string): Download => {
  const { status, headers } = download;
  if (status === 200) return download;
  download.discard();
  const missing = MISSING[status];
  if (missing !== undefined) throw new FileFault('InvalidPath', missing);
  const actual = headers['x-amz-bucket-region'];
  const hint =
    actual === undefined || actual === region || !/^[a-z0-9-]{1,50}$/.test(actual)
      ? ''
      : `: the bucket is in the region ${actual}`;
  throw new FileFault('Unavailable', `answered ${String(status)}${hint}`);
};

/** Objects of a bucket of Amazon S3, or of a store that is compatible with it. */
export const s3Storage: FileStorage = {
  absolutePath: (path, settings: Settings) =>
    `s3://${s3BucketOf(settings).bucket}/${checkKey(path)}`,
  open: async (path, settings, { http, signal }) => {
    const bucket = s3BucketOf(settings);
    const { url, headers } = await signed(bucket, checkKey(path));
    const download = await http
      .download({ url, headers, idleMs: IDLE_MS }, signal)
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    return downloadedFile(succeeded(download, bucket.region));
  },
};
