import { setTimeout } from 'node:timers/promises';
import { FileFault } from '@penstock/files';
import type { StorageContext } from '../../connector/file-storage';
import { type IncomingResponse, NoAnswer, NotAllowed } from '../../connector/guarded-http';
import { unavailable } from '../downloaded-file';
import { IDLE_MS } from '../idle-time';
import { type S3Request, s3Fault, signed } from './s3-requests';
import type { S3Bucket } from './s3-settings';

/** How often a request is made that may be repeated, and milliseconds before the second and the third time. */
const ATTEMPTS = 3;
const PAUSES_MS = [200, 2_000];
/** Time for removing an upload, whose caller may have given up. */
const ABORT_TIMEOUT_MS = 10_000;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

const mayRepeat = ({ status }: IncomingResponse): boolean => status === 429 || status >= 500;

/** The text of an element of an answer without attributes; undefined where there is none. */
const elementIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

const unescaped = (text: string): string =>
  text
    .replace(
      /&(quot|apos|lt|gt);/g,
      (_, name: string) => ({ quot: '"', apos: "'", lt: '<' })[name] ?? '>',
    )
    .replace(/&amp;/g, '&');

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** Sends requests about the objects of a bucket, and repeats those that the bucket was too busy for. */
export class S3Writer {
  constructor(
    private readonly bucket: S3Bucket,
    private readonly context: Pick<StorageContext, 'http' | 'signal'>,
    private readonly pausesMs: readonly number[] = PAUSES_MS,
  ) {}

  /** Writes an object at once. @throws FileFault */
  async put(request: Pick<S3Request, 'key' | 'headers' | 'body'>): Promise<void> {
    this.succeeded(await this.send({ method: 'PUT', ...request }));
  }

  /** @throws FileFault */
  async begin(key: string, headers: Readonly<Record<string, string>>): Promise<MultipartUpload> {
    const query = { uploads: '' };
    const answer = this.succeeded(await this.send({ method: 'POST', key, query, headers }));
    const id = elementIn(answer.body, 'UploadId');
    if (id === undefined)
      throw new FileFault('Unavailable', 'answered without the id of an upload');
    return new MultipartUpload(this, key, unescaped(id));
  }

  /** @throws FileFault for an answer that is no success. */
  succeeded(answer: IncomingResponse): IncomingResponse {
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw s3Fault(this.bucket, answer);
  }

  /**
   * All requests of an upload may be repeated: each leaves the same, however often it was executed.
   *
   * @throws FileFault
   */
  async send(request: S3Request, signal = this.context.signal): Promise<IncomingResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.sendOnce(request, signal).catch((error: unknown) => {
        const mayPass = error instanceof NoAnswer && !(error instanceof NotAllowed);
        if (attempt < ATTEMPTS && mayPass && !signal.aborted) return undefined;
        throw unavailable(error);
      });
      if (answer !== undefined && (attempt >= ATTEMPTS || !mayRepeat(answer))) return answer;
      await setTimeout(this.pausesMs[attempt - 1], undefined, { signal }).catch(() => undefined);
    }
  }

  private async sendOnce(request: S3Request, signal: AbortSignal): Promise<IncomingResponse> {
    const { url, headers } = await signed(this.bucket, request);
    const { method, body = new Uint8Array() } = request;
    if (method === 'PUT' || method === 'POST')
      return this.context.http.upload(
        { method, url, headers, bytes: once(body), size: body.length, idleMs: IDLE_MS },
        signal,
      );
    return this.context.http.request({ method, url, headers, timeoutMs: IDLE_MS }, signal);
  }
}

/** An object whose parts are written one after the other, and that nobody sees before it is complete. */
export class MultipartUpload {
  private readonly tags: string[] = [];

  constructor(
    private readonly writer: S3Writer,
    private readonly key: string,
    private readonly id: string,
  ) {}

  /** Writes the next part. @throws FileFault */
  async add(body: Uint8Array): Promise<void> {
    const query = { partNumber: String(this.tags.length + 1), uploadId: this.id };
    const request = { method: 'PUT', key: this.key, query, body } as const;
    const { headers } = this.writer.succeeded(await this.writer.send(request));
    const tag = headers['etag'];
    if (tag === undefined) throw new FileFault('Unavailable', 'answered without the tag of a part');
    this.tags.push(tag);
  }

  /** Makes the object visible. @throws FileFault also for an error within an answer of 200. */
  async complete(): Promise<void> {
    const parts = this.tags.map(
      (tag, index) =>
        `<Part><PartNumber>${String(index + 1)}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    );
    const query = { uploadId: this.id };
    const headers = { 'Content-Type': 'application/xml' };
    const given = await this.writer.send({ method: 'POST', key: this.key, query, headers, body });
    if (given.status === 404)
      throw new FileFault(
        'Unavailable',
        'does not know the upload any more, which may be complete',
      );
    const answer = this.writer.succeeded(given);
    if (!answer.body.includes('CompleteMultipartUploadResult'))
      throw new FileFault('Unavailable', 'answered that the upload was not completed');
  }

  /** Removes the parts, as far as that is possible now; never throws. */
  async abort(): Promise<void> {
    const signal = AbortSignal.timeout(ABORT_TIMEOUT_MS);
    const query = { uploadId: this.id };
    await this.writer
      .send({ method: 'DELETE', key: this.key, query }, signal)
      .catch(() => undefined);
  }
}
