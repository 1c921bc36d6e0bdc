import type { Leaf } from './leaf';
import type { ReceivedContext } from './received-context';

/** Top-level members that hold a scalar. */
export const SCALAR_MEMBERS = [
  'type',
  'messageId',
  'anonymousId',
  'userId',
  'event',
  'groupId',
  'previousId',
  'name',
  'category',
  'channel',
  'sentAt',
  'originalTimestamp',
  'timestamp',
] as const;

export type ScalarMember = (typeof SCALAR_MEMBERS)[number];

/** An event as received, not yet checked. Members that are absent, null or `""` are undefined. */
export interface ReceivedEvent extends Record<ScalarMember, Leaf | undefined> {
  /** Where its JSON text begins in the body. */
  start: number;
  /** Size of its JSON text. */
  bytes: number;
  /** False for an element of a batch that is not an object. */
  isObject: boolean;
  /** Compact text of an object, else any leaf. */
  properties: Leaf | undefined;
  traits: Leaf | undefined;
  integrations: Leaf | undefined;
  /** `null` when it is present but not an object. */
  context: ReceivedContext | null | undefined;
}

export const newReceivedEvent = (start: number): ReceivedEvent => ({
  start,
  bytes: 0,
  isObject: true,
  type: undefined,
  messageId: undefined,
  anonymousId: undefined,
  userId: undefined,
  event: undefined,
  groupId: undefined,
  previousId: undefined,
  name: undefined,
  category: undefined,
  channel: undefined,
  sentAt: undefined,
  originalTimestamp: undefined,
  timestamp: undefined,
  properties: undefined,
  traits: undefined,
  integrations: undefined,
  context: undefined,
});
