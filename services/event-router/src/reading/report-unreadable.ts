import type { LogRecord } from '@penstock/messaging';
import type { OwnedPartition } from '../progress/owned-partition';

/** Longest stored reason of an unreadable record, in UTF-16 units. */
const MAX_REASON = 500;

/** The stored part of a record; of a range that retention has removed only the first offset is known. */
export type Unread = Pick<LogRecord, 'offset' | 'key' | 'value'>;

/** Stores a record that cannot be routed, for operators, and reports it as an error; other records are not affected. */
export const reportUnreadable = (
  partition: OwnedPartition,
  record: Unread,
  reason: string,
  onError: (error: unknown) => void,
): void => {
  const { offset, key: orderKey, value } = record;
  partition.gather(({ unreadable }) => {
    unreadable.push({ offset, orderKey, value: value ?? '', reason: reason.slice(0, MAX_REASON) });
  });
  onError(
    new Error(`events partition ${partition.number} offset ${offset} was not routed: ${reason}`),
  );
};
