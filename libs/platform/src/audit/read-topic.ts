import type { LogRecord, MessageLog } from '@penstock/messaging';

/** Records of one batch, each of which may have a megabyte. */
const RECORDS_AT_ONCE = 100;

/** Reads a topic to its present end, in order for each partition. @throws what `take` has thrown first. */
export const readTopic = async (
  log: MessageLog,
  topic: string,
  take: (records: readonly LogRecord[]) => Promise<void>,
): Promise<void> => {
  let failure: { readonly error: unknown } | undefined;
  const reader = await log.follow({
    topic,
    maxRecords: RECORDS_AT_ONCE,
    // A rejected batch is delivered again, so that a failure is thrown at the end.
    onBatch: async (_, records) => {
      if (failure !== undefined) return;
      await take(records).catch((error: unknown) => (failure = { error }));
    },
  });
  try {
    await reader.caughtUp();
  } finally {
    await reader.stop();
  }
  if (failure !== undefined) throw failure.error;
};
