import { readAcceptedEvent, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';

/** An event as the log holds it. */
export interface EventOnLog {
  /** Id of the connection. */
  readonly source: string;
  readonly messageId: string;
}

const eventsOf = ({ value }: LogRecord): EventOnLog[] => {
  try {
    const { source, messageId } = readAcceptedEvent(value ?? '');
    return [{ source, messageId }];
  } catch {
    return [];
  }
};

/** Every event that stands in the log now, repeated ones as often as they stand there; what is no event is left out. */
export const eventsOnLog = async (log: MessageLog): Promise<readonly EventOnLog[]> => {
  const events: EventOnLog[] = [];
  const reader = await log.follow({
    topic: TOPIC.events,
    onBatch: (_, records) => {
      events.push(...records.flatMap(eventsOf));
      return Promise.resolve();
    },
  });
  await reader.caughtUp();
  await reader.stop();
  return events;
};
