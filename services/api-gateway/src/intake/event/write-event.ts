import { bodyDigest } from '@penstock/contracts';
import type { EventTimes } from './event-times';
import type { EventType } from './event-type';
import type { Leaf } from './leaf';
import type { ReceivedEvent } from './received-event';

/** The parts of a normalised event that are not copied from the received one. */
export interface Settled {
  readonly connection: Leaf;
  readonly anonymousId: Leaf;
  readonly messageId: Leaf;
  readonly type: EventType;
  /** `''` when there is none. */
  readonly context: string;
  readonly traits: Leaf;
  readonly receivedAt: Leaf;
  readonly times: EventTimes;
}

/** A written event. */
export interface WrittenEvent {
  readonly text: string;
  /** See `bodyDigest` of the contracts. */
  readonly digest: string;
}

/** Writes the members in the order of the event schema; members that only other types have are dropped. */
export const writeEvent = (event: ReceivedEvent, settled: Settled): WrittenEvent => {
  const { times } = settled;
  const before = writeBefore(event, settled);
  const after = writeAfter(event, settled);
  const text = `${before},"receivedAt":${settled.receivedAt},"sentAt":${times.sentAt},"originalTimestamp":${
    times.originalTimestamp
  },"timestamp":${times.timestamp}${after}`;
  return { text, digest: bodyDigest(before, after) };
};

/** Writes the members before the four times. */
const writeBefore = (event: ReceivedEvent, settled: Settled): string => {
  const { type, context, connection, anonymousId, messageId } = settled;
  const isView = type === 'page' || type === 'screen';
  const properties = event.properties ?? (isView || type === 'track' ? '{}' : undefined);
  let text = `{"connectionId":${connection},"anonymousId":${anonymousId}`;
  if (event.channel !== undefined) text += `,"channel":${event.channel}`;
  if (isView && event.category !== undefined) text += `,"category":${event.category}`;
  if (context !== '') text += `,"context":${context}`;
  if (type === 'track' && event.event !== undefined) text += `,"event":${event.event}`;
  if (type === 'group' && event.groupId !== undefined) text += `,"groupId":${event.groupId}`;
  text += `,"messageId":${messageId}`;
  if (isView && event.name !== undefined) text += `,"name":${event.name}`;
  return properties === undefined ? text : `${text},"properties":${properties}`;
};

/** Writes the members after the four times. */
const writeAfter = (event: ReceivedEvent, { type, traits }: Settled): string => {
  let text = `,"traits":${traits},"type":"${type}"`;
  if (type === 'alias' && event.previousId !== undefined)
    text += `,"previousId":${event.previousId}`;
  if (event.userId !== undefined) text += `,"userId":${event.userId}`;
  return `${text}}`;
};
