import { readAcceptedEvent, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';

/** An event in the log. */
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

/** All events in the log now, with repetitions; other records are left out. */
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
