import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { s3SignatureOf } from './s3-signature';

/** A request as the bucket has received it. */
export interface S3RequestSeen {
  readonly method: string;
  /** The key, decoded. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly contentType: string | undefined;
}

/**
 * How a request fails: with a status; `cut`: it is not executed, and the connection ends; `lost`: it is executed, and the
 * connection ends; `error in 200`: as some stores report it.
 */
export type S3Fault = number | 'cut' | 'lost' | 'error in 200';

interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly at: Date;
}

/** Source: Amazon S3, multipart upload limits. */
const MIN_PART_BYTES = 5_242_880;

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

const refuse = (response: ServerResponse, status: number, code: string): void => {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
};

const isGenuine = ({ method, url, headers }: IncomingMessage, body: Buffer): boolean =>
  headers.authorization === s3SignatureOf({ method, url, headers }) &&
  headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex');

/** A store that is compatible with S3, with one bucket in memory. It checks signatures, and fails when it is told to. */
export class LocalS3 {
  readonly objects = new Map<string, StoredObject>();
  /** Parts of uploads that are neither complete nor removed, by the id of the upload. */
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly requests: S3RequestSeen[] = [];
  /** How a request fails; `undefined`: it does not. */
  fault: (request: S3RequestSeen) => S3Fault | undefined = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly bucket: string,
    private readonly minPartBytes: number,
  ) {}

  /** @param minPartBytes of each part but the last one; default: as Amazon's. */
  static async start(bucket: string, minPartBytes = MIN_PART_BYTES): Promise<LocalS3> {
    const server = createServer();
    const store = new LocalS3(server, bucket, minPartBytes);
    server.on('request', (request, response) => {
      void store.take(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return store;
  }

  /** The setting `endpoint` of connections. */
  get endpoint(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Puts an object into the bucket. */
  put(key: string, bytes: Buffer, contentType?: string): void {
    this.objects.set(key, { bytes, contentType, at: new Date() });
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const [, bucket = '', ...steps] = path.split('/');
    const seen: S3RequestSeen = {
      method: request.method ?? '',
      key: steps.map(decodeURIComponent).join('/'),
      query: new URLSearchParams(query),
      body,
      contentType: request.headers['content-type'],
    };
    this.requests.push(seen);
    const fault = this.fault(seen);
    if (fault === 'cut') response.destroy();
    else if (typeof fault === 'number') refuse(response, fault, 'SlowDown');
    else if (fault === 'error in 200') refuse(response, 200, 'InternalError');
    else if (!isGenuine(request, body)) refuse(response, 403, 'SignatureDoesNotMatch');
    else if (bucket !== this.bucket) refuse(response, 404, 'NoSuchBucket');
    else {
      // Whoever is not to hear the answer is cut off before it.
      if (fault === 'lost') response.destroy();
      this.answer(seen, response);
    }
  }

  private answer(request: S3RequestSeen, response: ServerResponse): void {
    const { method, query } = request;
    const id = query.get('uploadId');
    if (method === 'GET') this.get(request, response);
    else if (method === 'POST' && query.has('uploads')) this.begin(response);
    else if (method === 'PUT' && id === null) {
      this.put(request.key, request.body, request.contentType);
      response.writeHead(200, { ETag: etagOf(request.body) }).end();
    } else {
      const parts = this.uploads.get(id ?? '');
      if (parts === undefined) refuse(response, 404, 'NoSuchUpload');
      else this.ofUpload(id ?? '', parts, request, response);
    }
  }

  private get({ key }: S3RequestSeen, response: ServerResponse): void {
    const object = this.objects.get(key);
    if (object === undefined) {
      refuse(response, 404, 'NoSuchKey');
      return;
    }
    const { bytes, at } = object;
    response
      .writeHead(200, {
        'Content-Length': bytes.length,
        ETag: etagOf(bytes),
        'Last-Modified': at.toUTCString(),
      })
      .end(bytes);
  }

  private begin(response: ServerResponse): void {
    // A character that XML has to escape, which real ids may have as well.
    const id = `${randomUUID()}&=`;
    this.uploads.set(id, new Map());
    const text = id.replace('&', '&amp;');
    response.end(
      `<InitiateMultipartUploadResult><UploadId>${text}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  private ofUpload(
    id: string,
    parts: Map<number, Buffer>,
    { method, key, query, body }: S3RequestSeen,
    response: ServerResponse,
  ): void {
    if (method === 'DELETE') {
      this.uploads.delete(id);
      response.writeHead(204).end();
    } else if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), body);
      response.writeHead(200, { ETag: etagOf(body) }).end();
    } else if (this.complete(key, parts, body.toString())) {
      this.uploads.delete(id);
      response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
    } else refuse(response, 400, 'InvalidPart');
  }

  /** @returns whether the parts that the client names are those that are here, each large enough. */
  private complete(key: string, parts: ReadonlyMap<number, Buffer>, body: string): boolean {
    const named = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)].map(
      ([, number, tag]) => ({ number: Number(number), tag: tag?.replace(/&quot;/g, '"') }),
    );
    const bytes = named.map(({ number }) => parts.get(number) ?? Buffer.alloc(0));
    const isRight = named.every(
      ({ number, tag }, index) =>
        number === index + 1 &&
        tag === etagOf(bytes[index] ?? Buffer.alloc(0)) &&
        (index === named.length - 1 || (bytes[index]?.length ?? 0) >= this.minPartBytes),
    );
    if (isRight && named.length > 0) this.put(key, Buffer.concat(bytes));
    return isRight && named.length > 0;
  }
}
