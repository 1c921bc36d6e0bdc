import { FileFault } from '@penstock/files';

/** The fault of a writing whose caller has given up. */
const givenUp = (): FileFault => new FileFault('Unavailable', 'writing was given up');

/** @throws FileFault Unavailable when the signal has fired. */
export const checkWanted = ({ aborted }: AbortSignal): void => {
  if (aborted) throw givenUp();
};

/**
 * The same bytes, also while the next ones are waited for.
 *
 * @throws FileFault Unavailable when the signal fires; what the bytes throw.
 */
export async function* untilGivenUp(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  // One listener for all waits: racing each of them against one promise would keep every chunk in memory.
  let giveUp = (): void => undefined;
  const onAbort = (): void => {
    giveUp();
  };
  signal.addEventListener('abort', onAbort);
  let isEnded = false;
  try {
    for (;;) {
      checkWanted(signal);
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = () => {
          reject(givenUp());
        };
        iterator.next().then(resolve, reject);
      });
      isEnded = next.done === true;
      if (next.done === true) break;
      yield next.value;
    }
    checkWanted(signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Whoever makes the bytes may be in the middle of something that never ends: it is not waited for.
    if (!isEnded) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
