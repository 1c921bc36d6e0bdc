import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { nothingWasDone } from './nothing-was-done';

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its Content-Length. */
  readonly body?: string | Buffer;
  /** Sent in chunks, without a length, in place of a body. */
  readonly chunks?: readonly Buffer[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Longer than a gateway waits for another service before it answers 503. */
const TIMEOUT_MS = 45_000;

const PAUSE_MS = 100;

/** Time limit, long enough for a loaded machine. */
const PATIENCE_MS = 60_000;

/** Sends one request on a new connection; adds no header but Content-Length. */
export const sendRaw = (
  url: string,
  { method = 'POST', headers = {}, body, chunks = [] }: RawRequest,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { method, headers: { ...length, ...headers }, agent: false };
    const sent = request(url, { ...options, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${String(TIMEOUT_MS)} ms`)));
    sent.on('error', reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end(body);
  });

/** As {@link sendRaw}, but repeats requests that the gateway refused because it could not read the log in time. */
export const sendPatiently = async (url: string, sent: RawRequest): Promise<RawAnswer> => {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    const answer = await sendRaw(url, sent);
    const isDone = !nothingWasDone(answer.status, answer.text);
    if (isDone || performance.now() > deadline) return answer;
  }
};

/** Closes a connection in the middle of a request. */
export const breakOff = async (address: string, text: string): Promise<void> => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  socket.resetAndDestroy();
  await once(socket, 'close');
};
