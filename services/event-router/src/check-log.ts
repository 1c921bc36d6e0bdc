import type { LogRecord } from '@penstock/messaging';
import { CannotStart } from '@penstock/runtime';
import { markOf } from './progress/mark-of';
import type { ReadSlice } from './reading/live-routing';
import type { RecordMark } from './store/changes';

/** The events topic is not the one that the stored progress belongs to. */
export class AnotherLog extends CannotStart {
  override readonly name = 'AnotherLog';
  constructor(what: string) {
    super(
      `the events topic is another one than that which was read before (${what}). Nothing of it is routed until ` +
        'PENSTOCK_EVENTS_FROM says where to begin: earliest for all events that it holds, latest for new ones only.',
    );
  }
}

const isSame = (record: LogRecord, mark: RecordMark): boolean => {
  const { timestampMs, crc } = markOf(record);
  return timestampMs === mark.timestampMs && crc === mark.crc;
};

/**
 * Checks that the stored progress belongs to this log: the last routed record must still have its offset, time and
 * checksum, unless retention has removed it.
 *
 * @throws AnotherLog
 */
export const checkLog = async (
  partition: number,
  { routed, mark }: { readonly routed: number; readonly mark: RecordMark | null },
  read: ReadSlice,
): Promise<void> => {
  const { records, begin, end } = await read(partition, mark?.offset ?? routed, 1);
  const where = `partition ${String(partition)}`;
  if (end < routed)
    throw new AnotherLog(`${where} ends at ${String(end)}, ${String(routed)} were routed`);
  if (mark === null || begin > mark.offset) return;
  const [record] = records;
  if (record?.offset === mark.offset && !isSame(record, mark))
    throw new AnotherLog(`${where} has another record at offset ${String(mark.offset)}`);
};
