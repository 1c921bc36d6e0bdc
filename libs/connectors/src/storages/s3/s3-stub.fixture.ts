import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpStub } from '../../http-stub.fixture';

export const KEY_ID = 'AKIDEXAMPLE123456';
export const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const REGION = 'eu-central-1';

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/**
 * The signature that a request has to have. Written from "Signature Calculations for the Authorization Header" of the
 * Amazon S3 API reference.
 */
const signatureOf = ({
  method = '',
  url = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): string => {
  const [path = '', query = ''] = url.split('?');
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const names = signed.split(';');
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.includes(name)) return `${name} is not signed`;
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const at = String(headers['x-amz-date']);
  const scope = `${at.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = [at.slice(0, 8), REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${SECRET}`,
  );
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${at}\n${scope}\n${hash}`).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${KEY_ID}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
};

const refuse = (response: ServerResponse, status: number, code: string): void => {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
};

/** A store that is compatible with S3, with the objects of one bucket by their encoded paths. */
export const s3Stub = async (objects: ReadonlyMap<string, string>): Promise<HttpStub> => {
  const stub = await HttpStub.start();
  return stub.always((response, request) => {
    const age =
      Date.now() -
      Date.parse(
        String(request.headers['x-amz-date']).replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'),
      );
    if (request.headers.authorization !== signatureOf(request) || !(Math.abs(age) < 900_000)) {
      refuse(response, 403, 'SignatureDoesNotMatch');
      return;
    }
    const content = objects.get(request.url);
    if (content === undefined) refuse(response, 404, 'NoSuchKey');
    else
      response
        .writeHead(200, { ETag: '"etag-1"', 'Last-Modified': 'Wed, 21 Oct 2026 07:28:00 GMT' })
        .end(content);
  });
};
