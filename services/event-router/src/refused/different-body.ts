import { excerptOf, type NewRefusedEvent } from '@penstock/platform';
import type { IncomingEvent } from '../routing/incoming-event';

const REASON =
  'an event with this message id came before, with another body, and was the one that was delivered';

const isText = (value: unknown): value is string => typeof value === 'string';

/** What is recorded of an event whose message id came before with another body. */
export const differentBody = (incoming: IncomingEvent): NewRefusedEvent => {
  const { head, record, eventText } = incoming;
  const { workspace, source, messageId } = head;
  return {
    // The same when the event is read again after a crash.
    id: `${String(record.partition)}-${String(record.offset)}`,
    workspace,
    source,
    index: null,
    messageId,
    code: 'DifferentBody',
    path: '',
    reason: REASON,
    details: () => {
      const { event = {} } = incoming;
      const userIds = [event['userId'], event['previousId']].filter(isText);
      return { ...excerptOf(Buffer.from(eventText)), userIds };
    },
  };
};
