import { type JsonObject } from '@penstock/schema';
import { flag, members, readOptionalText, readText, text } from '@penstock/settings';
import { webBaseUrl } from '../../settings/url';

/** Source: Amazon S3, rules for names of buckets; compatible stores also take capitals and underscores. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]$/;

const printable = (given: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(given) ? undefined : 'must be printable ASCII without spaces';

/** Settings of the `s3` connector. */
export const s3Form = members(
  {
    name: 'accessKeyID',
    form: text({ minLength: 16, maxLength: 128, problem: printable }),
    description: 'ID of the access key.',
    required: true,
  },
  {
    name: 'secretAccessKey',
    form: text({ minLength: 16, maxLength: 200, secret: true, problem: printable }),
    description: 'Secret of the access key.',
    required: true,
  },
  {
    name: 'region',
    form: text({
      maxLength: 50,
      problem: (region) =>
        /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(region)
          ? undefined
          : 'must hold only lower-case letters, digits and hyphens, such as eu-central-1',
    }),
    description: 'Region of the bucket.',
    required: true,
  },
  {
    name: 'bucket',
    form: text({
      minLength: 3,
      maxLength: 63,
      problem: (bucket) =>
        BUCKET.test(bucket) && !bucket.includes('..') ? undefined : 'must be the name of a bucket',
    }),
    description: 'Name of the bucket.',
    required: true,
  },
  {
    name: 'endpoint',
    form: webBaseUrl,
    description: 'Of a store that is compatible with S3; absent: Amazon.',
  },
  {
    name: 'forcePathStyle',
    form: flag,
    description:
      'Whether the bucket is in the path instead of the host name; absent: true with an endpoint, else false.',
  },
);

/** Settings that have been checked, ready to read with. */
export interface S3Bucket {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly bucket: string;
  /** Where the keys of the bucket begin; no slash at the end. */
  readonly url: string;
}

const urlOf = (settings: JsonObject, bucket: string, region: string): string => {
  const endpoint = readOptionalText(settings, 'endpoint');
  const given = settings.get('forcePathStyle');
  const isPathStyle = typeof given === 'boolean' ? given : endpoint !== undefined;
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (!isPathStyle) base.hostname = `${bucket}.${base.hostname}`;
  const path = base.pathname.replace(/\/+$/, '');
  return `${base.origin}${path}${isPathStyle ? `/${bucket}` : ''}`;
};

/** What the checked settings name. */
export const s3BucketOf = (settings: JsonObject): S3Bucket => {
  const region = readText(settings, 'region');
  const bucket = readText(settings, 'bucket');
  return {
    accessKeyId: readText(settings, 'accessKeyID'),
    secretAccessKey: readText(settings, 'secretAccessKey'),
    region,
    bucket,
    url: urlOf(settings, bucket, region),
  };
};
