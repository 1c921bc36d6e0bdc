import type { ConnectionId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { ErasedRecord } from './eraser';

/** Whom an event is about: the user, or whoever has the anonymous id; and of an alias, who the user was before. */
export const recordsOfEvent = (event: RecordValue): readonly ErasedRecord[] => {
  const connection = event['connectionId'] as ConnectionId;
  const [userId, previousId] = [event['userId'], event['previousId']];
  const anonymousId = event['anonymousId'] as string;
  const known = [userId, previousId].filter((id) => typeof id === 'string');
  const records = known.map((recordId) => ({ connection, anonymous: false, recordId }));
  if (userId !== undefined) return records;
  return [...records, { connection, anonymous: true, recordId: anonymousId }];
};

/** The source and the message id of an event: of those that have them in common one is written. */
export const keyOfEvent = (event: RecordValue): string =>
  `${event['connectionId'] as string}\t${event['messageId'] as string}`;
