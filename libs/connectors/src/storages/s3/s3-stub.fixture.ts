import type { ServerResponse } from 'node:http';
import { s3SignatureOf } from '@penstock/local-storages';
import { HttpStub } from '../../http-stub.fixture';

export const KEY_ID = 'AKIDEXAMPLE123456';
export const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const REGION = 'eu-central-1';

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
    if (request.headers.authorization !== s3SignatureOf(request) || !(Math.abs(age) < 900_000)) {
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
