import type { RecordValue } from '@penstock/schema';
import type { OutgoingEvent } from '../connector/event-destination';

/** Who an event is of, when and from where, as vendors want to know it. */
export interface EventIdentity {
  readonly anonymousId: string;
  readonly userId: string | undefined;
  /** `userId`, else `anonymousId`. */
  readonly distinctId: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly ip: string | undefined;
  readonly sessionId: bigint | undefined;
}

export const identityOf = ({ event }: OutgoingEvent): EventIdentity => {
  const anonymousId = event['anonymousId'] as string;
  const userId = event['userId'] as string | undefined;
  const timestamp = event['timestamp'] as string;
  const context = event['context'] as RecordValue | undefined;
  const session = context?.['session'] as RecordValue | undefined;
  return {
    anonymousId,
    userId,
    distinctId: userId ?? anonymousId,
    timestamp,
    timeMs: Date.parse(timestamp),
    ip: context?.['ip'] as string | undefined,
    sessionId: session?.['id'] as bigint | undefined,
  };
};
