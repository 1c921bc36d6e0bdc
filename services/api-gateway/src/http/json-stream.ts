import { once } from 'node:events';
import type { Response } from 'express';
import { callerGone, CallerGone } from './caller-gone';

/** Milliseconds for which a client may read nothing before its connection is closed. */
const MAX_STALL_MS = 60_000;

/** A JSON text that is written while it is made, for answers of any length. */
export class JsonStream {
  constructor(readonly texts: AsyncIterable<string>) {}
}

/**
 * Writes the texts as fast as the client reads them; a HEAD request reads none.
 *
 * @throws CallerGone when the connection closes, or the client reads nothing for {@link MAX_STALL_MS}.
 */
export const writeStream = async (response: Response, { texts }: JsonStream): Promise<void> => {
  const gone = callerGone(response);
  if (response.req.method !== 'HEAD')
    for await (const text of texts) {
      gone.throwIfAborted();
      if (!response.write(text)) await drained(response, gone);
    }
  response.end();
};

const drained = async (response: Response, gone: AbortSignal): Promise<void> => {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(MAX_STALL_MS)]);
  try {
    await once(response, 'drain', { signal });
  } catch (cause) {
    throw new CallerGone('the client does not read the answer', { cause });
  }
};
