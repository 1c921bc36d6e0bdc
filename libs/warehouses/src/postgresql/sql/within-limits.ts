import type { Duplex } from 'node:stream';
import { type Client, DatabaseError } from 'pg';
import { WarehouseFault } from '../../platform/warehouse';
import { late } from '../../reading/late';

const MIB = 1_048_576;

/** What a server may send in answer to one read, in MiB. What is asked for takes less than 2. */
const MAX_ANSWER_MIB = 8;

/** SQLSTATE query_canceled: the server has ended the statement, mostly for its time. */
const CANCELLED = '57014';

/**
 * Reads on a connection, and gives the connection up when that takes too long, or brings more than is held in memory: a
 * server may send what it likes.
 *
 * @param maxAnswerMib that the server may send, in MiB.
 * @throws WarehouseFault for both; else what the work throws.
 */
export const withinLimits = async <T>(
  client: Client,
  signal: AbortSignal,
  work: () => Promise<T>,
  maxAnswerMib = MAX_ANSWER_MIB,
): Promise<T> => {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } })
    .connection;
  let fault: WarehouseFault | undefined;
  let bytes = 0;
  const giveUp = (because: WarehouseFault): void => {
    fault ??= because;
    stream.destroy();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxAnswerMib * MIB)
      giveUp(
        new WarehouseFault('unusable', `it answers with more than ${String(maxAnswerMib)} MiB`),
      );
  };
  const abort = (): void => {
    giveUp(late());
  };
  stream.on('data', count);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.code === CANCELLED) throw fault ?? late();
    throw fault ?? error;
  } finally {
    stream.off('data', count);
    signal.removeEventListener('abort', abort);
  }
};
