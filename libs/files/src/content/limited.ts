import { FileFault } from './file-fault';

const MIB = 1_048_576;

/**
 * The same bytes, as long as there are not too many.
 *
 * @param signal ends them too.
 * @throws FileFault InvalidFile with the chunk that exceeds the limit; the reason of the signal.
 */
export async function* limited(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    read += chunk.length;
    if (read > maxBytes)
      throw new FileFault(
        'InvalidFile',
        `more than ${String(Math.floor(maxBytes / MIB))} MiB of it would have to be read`,
      );
    yield chunk;
  }
}
