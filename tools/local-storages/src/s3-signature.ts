import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The keys that every local bucket knows, and its region. */
export const S3_KEYS = {
  accessKeyID: 'AKIDEXAMPLE123456',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
} as const;

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** The query as it is signed: by name, every name with a `=`. */
const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter((each) => each !== '')
    .map((each) => (each.includes('=') ? each : `${each}=`))
    .sort()
    .join('&');

/**
 * The header `Authorization` that a request has to have. Written from "Signature Calculations for the Authorization
 * Header" of the Amazon S3 API reference.
 */
export const s3SignatureOf = ({
  method = '',
  url = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): string => {
  const { accessKeyID, secretAccessKey, region } = S3_KEYS;
  const [path = '', query = ''] = url.split('?');
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const names = signed.split(';');
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.includes(name)) return `${name} is not signed`;
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const at = String(headers['x-amz-date']);
  const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = [at.slice(0, 8), region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${at}\n${scope}\n${hash}`).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyID}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
};
