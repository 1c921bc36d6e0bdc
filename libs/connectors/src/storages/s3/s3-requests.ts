import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { FileFault } from '@penstock/files';
import { stepsOf } from '../check-path';
import { refusedAnswer } from '../downloaded-file';
import type { S3Bucket } from './s3-settings';

/** Source: Amazon S3, names of object keys. */
const MAX_KEY_BYTES = 1_024;

/**
 * The key of an object.
 *
 * @throws FileFault InvalidPath, InvalidPlaceholder
 */
export const s3Key = (path: string): string => {
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

/** A request about an object. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: Uint8Array;
}

/** A request with its signature. */
export interface SignedS3Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a request, body and query included. */
export const signed = async (
  { url, region, accessKeyId, secretAccessKey }: S3Bucket,
  { method, key, query = {}, headers = {}, body = new Uint8Array() }: S3Request,
): Promise<SignedS3Request> => {
  const search = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  const request = await new AwsV4Signer({
    method,
    url: `${url}/${key.split('/').map(encoded).join('/')}${search === '' ? '' : `?${search}`}`,
    headers: {
      ...headers,
      'X-Amz-Content-Sha256': createHash('sha256').update(body).digest('hex'),
    },
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

/** What an answer without what was asked for means. */
export const s3Fault = (
  { region }: S3Bucket,
  {
    status,
    headers,
  }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): FileFault => {
  const missing = MISSING[status];
  if (missing !== undefined) return new FileFault('InvalidPath', missing);
  const actual = headers['x-amz-bucket-region'];
  const hint =
    actual === undefined || actual === region || !/^[a-z0-9-]{1,50}$/.test(actual)
      ? undefined
      : `: the bucket is in the region ${actual}`;
  return refusedAnswer(status, hint);
};
