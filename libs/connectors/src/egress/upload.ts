import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { type IncomingResponse, NoAnswer, type UploadRequest } from '../connector/guarded-http';
import { USER_AGENT } from '../connector/user-agent';
import { noAnswer, plainHeaders } from './download';
import { httpUrl } from './http-url';

/** Bytes that are handed to the connection at a time. */
const PART_BYTES = 65_536;

/** A body on its way: why it ended before its end, if it did. */
class OutgoingBody {
  private isEnded = false;
  private given = 0;
  private failure: { readonly error: unknown } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: AsyncIterable<Uint8Array>,
    private readonly idleMs: number,
    private readonly giveUp: (reason: NoAnswer) => void,
  ) {}

  /** Whether all of it was given to the connection. @param size its bytes, if they are known */
  isWhole(size: number | undefined): boolean {
    return this.isEnded || this.given === size;
  }

  /** In small parts, each of which has to be taken within its time. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.source)
        for (let at = 0; at < chunk.length; at += PART_BYTES) {
          this.timer = setTimeout(() => {
            this.giveUp(new NoAnswer(`nothing was taken for ${String(this.idleMs / 1_000)} s`));
          }, this.idleMs);
          const part = chunk.subarray(at, at + PART_BYTES);
          this.given += part.length;
          yield part;
          this.stop();
        }
      this.isEnded = true;
    } catch (error) {
      this.failure = { error };
      throw error;
    } finally {
      this.stop();
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** @throws what the given body threw, if it did. */
  check(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const bodyOf = async (body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = chunk as Uint8Array;
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).toString();
};

/**
 * A request whose body is not kept in memory. An answer that comes before the end of the body ends it.
 *
 * @param maxAnswerBytes of the answer's body; what is beyond is discarded.
 * @throws NoAnswer; what the body throws.
 */
export const uploadThrough = async (
  agent: Agent,
  maxAnswerBytes: number,
  { method, url, headers, bytes, size, idleMs }: UploadRequest,
  signal: AbortSignal,
): Promise<IncomingResponse> => {
  const { origin, pathname, search } = httpUrl(url);
  const stalled = new AbortController();
  const body = new OutgoingBody(bytes, idleMs, (reason) => {
    stalled.abort(reason);
  });
  const stream = Readable.from(body.bytes(), { objectMode: false });
  // Without a listener, the error with which an unread body ends would be thrown.
  stream.on('error', () => undefined);
  try {
    const answer = await agent.request({
      ...{ origin, path: pathname + search, method, body: stream },
      headers: {
        ...headers,
        ...(size !== undefined && { 'Content-Length': String(size) }),
        'User-Agent': USER_AGENT,
      },
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      signal: AbortSignal.any([signal, stalled.signal]),
    });
    const isTooEarly = isSuccess(answer.statusCode) && !body.isWhole(size);
    const text = await bodyOf(answer.body, maxAnswerBytes);
    if (isTooEarly) throw new NoAnswer('answered before it had been given all');
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: text };
  } catch (error) {
    body.check();
    return noAnswer(stalled.signal.aborted ? stalled.signal.reason : error, signal);
  } finally {
    stream.destroy();
    body.stop();
  }
};
