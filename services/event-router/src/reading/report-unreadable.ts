import type { LogRecord } from '@penstock/messaging';
import type { OwnedPartition } from '../progress/owned-partition';

/** Longest reason that is kept of an unreadable record, in UTF-16 units. */
const MAX_REASON = 500;

/** It is kept as it stands in the log. Of a stretch that is gone only the place is known. */
export type Unread = Pick<LogRecord, 'offset' | 'key' | 'value'>;

/** What goes to nobody is kept for operators; its neighbours go on. */
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
