import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FetchedPartition } from './fetch-frame';
import {
  type BatchRecord,
  decodeRecordBatch,
  newDecoder,
  withoutAborted,
} from './kafkajs-internals';

export interface RecordSet {
  /** Messages at or after the requested offset. */
  readonly messages: readonly BatchRecord[];
  /** Offset after everything that was decoded: messages, transaction markers, and offsets removed by compaction. */
  readonly next: number;
}

/** Size of a batch's header. */
const HEADER_BYTES = 61;
const MAGIC_OFFSET = 16;
/** The format of Kafka 0.11 and later. */
const MAGIC = 2;

/** Time after which decoding yields to the event loop. */
const TURN_MS = 5;

const isCutOff = (error: unknown): boolean =>
  error instanceof Error && error.name === 'KafkaJSPartialMessageError';

/**
 * Decodes the records of a partition.
 *
 * @param from the requested offset: a batch that contains it may begin before.
 */
export const decodeRecordSet = async (
  { recordSet, abortedTransactions }: FetchedPartition,
  from: number,
): Promise<RecordSet> => {
  const decoder = newDecoder(recordSet);
  const decoded: BatchRecord[] = [];
  let next = from;
  let turnMs = performance.now();
  while (decoder.canReadBytes(HEADER_BYTES)) {
    if (recordSet[decoder.offset + MAGIC_OFFSET] !== MAGIC)
      throw new Error('records are stored in a format of before Kafka 0.11');
    const batch = await decodeRecordBatch(decoder).catch((error: unknown) => {
      if (isCutOff(error)) return undefined;
      throw error;
    });
    if (!batch) break;
    for (const record of batch.records) decoded.push(record);
    next = Math.max(next, Number(batch.firstOffset) + batch.lastOffsetDelta + 1);
    if (performance.now() - turnMs < TURN_MS) continue;
    await nextTurn();
    turnMs = performance.now();
  }
  const messages = withoutAborted({ messages: decoded, abortedTransactions }).filter(
    ({ offset, isControlRecord }) => !isControlRecord && Number(offset) >= from,
  );
  return { messages, next };
};
