import { Invalid } from '@penstock/schema';
import { Away } from '../engine/away';
import type {
  ReadingWanted,
  RecordReading,
  RecordSource,
  SourcePage,
} from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';

/** A connector that throws has failed: what it cannot do it says otherwise. */
const asReceiveError = (error: unknown): Away | WholeRunError => {
  if (error instanceof Away || error instanceof WholeRunError) return error;
  const options = { cause: error };
  if (error instanceof Invalid) {
    const message = error.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    return new WholeRunError('Receive', 'InvalidSettings', message, options);
  }
  return new WholeRunError('Receive', 'ConnectorFailed', 'the connector has failed', options);
};

async function* receivedPages(
  pages: AsyncIterable<SourcePage>,
  signal: AbortSignal,
): AsyncGenerator<SourcePage> {
  try {
    yield* pages;
  } catch (error) {
    signal.throwIfAborted();
    throw asReceiveError(error);
  }
}

/**
 * Opens a source. Whatever its connector throws, then or while it is read, is a failure at Receive.
 *
 * @param sourceOf makes the source, with the settings of its connection.
 * @throws Away, WholeRunError, or the signal's reason.
 */
export const received = async (
  wanted: ReadingWanted,
  sourceOf: () => RecordSource,
): Promise<RecordReading> => {
  const { signal } = wanted;
  const atReceive = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw asReceiveError(error);
    }
  };
  const reading = await atReceive(async () => sourceOf().open(wanted));
  return {
    ...reading,
    pages: receivedPages(reading.pages, signal),
    close: () => atReceive(() => reading.close()),
  };
};
