import type { LogSlice } from '../log-slice';
import { MAX_SLICE_RECORDS } from '../read-limits';
import { beginningOf, endOf, fetch, OUT_OF_RANGE } from './fetch';
import type { FetchedPartition } from './fetch-frame';
import { type BatchRecord, type Broker, protocolError } from './kafkajs-internals';
import { logRecord } from './log-record';
import { pause } from './pause';
import { decodeRecordSet } from './record-set';

/** Pause before a retry when a leader reports records but sends none. */
const AGAIN_MS = 10;
/** The broker returns a whole batch even for a smaller limit. */
const MIN_FETCH_BYTES = 16_384;

export interface Stretch {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly maxBytes: number;
}

/** Selects as many messages from the front as fit, at least one. */
const fitting = (messages: readonly BatchRecord[], maxBytes: number): readonly BatchRecord[] => {
  let bytes = 0;
  let count = 0;
  for (const { value } of messages) {
    bytes += value?.length ?? 0;
    if (count > 0 && (bytes > maxBytes || count === MAX_SLICE_RECORDS)) break;
    count += 1;
  }
  return messages.slice(0, count);
};

const cut = async (
  fetched: FetchedPartition,
  { partition, maxBytes }: Stretch,
  from: number,
): Promise<LogSlice> => {
  const { messages, next } = await decodeRecordSet(fetched, from);
  const kept = fitting(messages, maxBytes);
  const records = kept.map((message) => logRecord(partition, message));
  const last = records.at(-1)?.offset ?? -1;
  const isCut = kept.length < messages.length;
  return {
    records,
    next: isCut ? last + 1 : next,
    begin: fetched.begin,
    end: Math.max(fetched.end, last + 1),
  };
};

/**
 * Fetches until there is a record, or the end is reached.
 *
 * @param broker leads the partition.
 * @throws KafkaJSError, or the reason of the signal.
 */
export const readSlice = async (
  broker: Broker,
  stretch: Stretch,
  signal: AbortSignal,
): Promise<LogSlice> => {
  const { topic, partition, offset, maxBytes } = stretch;
  const bytes = Math.max(MIN_FETCH_BYTES, Math.floor(maxBytes));
  const limits = { maxWaitMs: 0, maxBytes: bytes, maxPartitionBytes: bytes };
  for (let from = offset; ;) {
    signal.throwIfAborted();
    const partitions = [{ partition, offset: from }];
    const [fetched] = await fetch(broker, { topic, partitions, ...limits });
    if (!fetched) throw new Error(`no answer for partition ${partition} of ${topic}`);
    if (fetched.errorCode === OUT_OF_RANGE) {
      const begin = await beginningOf(broker, topic, partition);
      const end = await endOf(broker, topic, partition);
      if (from > end) return { records: [], next: from, begin, end };
      from = Math.max(from, begin);
      continue;
    }
    if (fetched.errorCode !== 0) throw protocolError(fetched.errorCode);
    const slice = await cut(fetched, stretch, from);
    if (slice.records.length > 0 || slice.next >= slice.end) return slice;
    if (slice.next === from) await pause(AGAIN_MS, signal);
    from = slice.next;
  }
};
