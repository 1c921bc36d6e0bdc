import type { RunPosition } from '@penstock/contracts';
import type { Schema } from '@penstock/schema';
import { Away } from './away';
import { type Batch, Batches, type BatchLimits } from './batches';
import type { Patience } from './patience';
import type { RecordReading, RecordSource, SourceRecord } from './record-source';

/** What is read, and what is done with it. */
export interface ReadToEnd {
  readonly source: RecordSource;
  readonly schema: Schema;
  /** Where reading begins. */
  readonly from: RunPosition;
  readonly limits: BatchLimits;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  /** Called with each reading before anything is handled. */
  readonly onOpened?: (reading: RecordReading) => Promise<void>;
  readonly isWanted: (record: SourceRecord) => boolean;
  readonly handle: (batch: Batch) => Promise<void>;
}

const handleAll = async (
  reading: RecordReading,
  { limits, signal, isWanted, handle }: ReadToEnd,
): Promise<void> => {
  const batches = new Batches(reading.pages, limits, signal, isWanted);
  try {
    for (let batch = await batches.next(); batch !== undefined; batch = await batches.next())
      await handle(batch);
  } finally {
    await reading.close();
    await batches.close();
  }
};

/**
 * Reads a source to its end, batch by batch. When it cannot be read for a time, reading goes on behind the last batch that
 * was handled.
 *
 * @throws WholeRunError, what the handling throws, or the signal's reason.
 */
export const readToEnd = async (wanted: ReadToEnd): Promise<void> => {
  const { source, schema, patience, signal, onOpened } = wanted;
  let from = wanted.from;
  const handle = async (batch: Batch): Promise<void> => {
    await wanted.handle(batch);
    from = batch.position;
  };
  for (;;)
    try {
      const reading = await source.open({ from, changedSince: null, schema, signal });
      await onOpened?.(reading);
      await handleAll(reading, { ...wanted, handle });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Away)) throw error;
      await patience.wait('Receive', error);
    }
};
