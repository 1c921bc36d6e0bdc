import type { Agent, Dispatcher } from 'undici';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { type Download, type DownloadRequest, NoAnswer } from '../connector/guarded-http';
import { USER_AGENT } from '../connector/user-agent';
import { noAnswerFor } from './exchange';
import { httpUrl } from './http-url';
import { MAX_REDIRECTS, redirected } from './redirect';

/** @throws NoAnswer for every error of the exchange, which is never a bug of the caller. */
export const noAnswer = (error: unknown, signal: AbortSignal): never => {
  if (error instanceof NoAnswer) throw error;
  if (signal.aborted) throw new NoAnswer('request was given up');
  throw types.isNativeError(error) ? noAnswerFor(error) : new NoAnswer('request failed');
};

/** Headers by their names, several of one name in one text. */
export const plainHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

async function* read(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    noAnswer(error, signal);
  }
}

const get = async (
  agent: Agent,
  { url, headers, idleMs }: DownloadRequest,
  signal: AbortSignal,
): Promise<Download> => {
  const { origin, pathname, search } = httpUrl(url);
  const {
    statusCode,
    headers: answered,
    body,
  } = await agent.request({
    origin,
    path: pathname + search,
    method: 'GET',
    headers: { 'Accept-Encoding': 'identity', ...headers, 'User-Agent': USER_AGENT },
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    signal,
  });
  return {
    status: statusCode,
    headers: plainHeaders(answered),
    bytes: read(body, signal),
    discard: () => {
      // Without a listener, the error with which an unread body ends would be thrown.
      body.on('error', () => undefined).destroy();
    },
  };
};

/**
 * A GET whose body is not kept in memory.
 *
 * @throws NoAnswer
 */
export const downloadThrough = async (
  agent: Agent,
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<Download> => {
  let current = { ...request, method: 'GET' as const };
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(agent, current, signal).catch((error: unknown) =>
      noAnswer(error, signal),
    );
    const next = redirects < MAX_REDIRECTS ? redirected(current, answer) : undefined;
    if (next === undefined) return answer;
    answer.discard();
    current = next;
  }
};
