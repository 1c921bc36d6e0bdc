import { bodyDigest } from '@penstock/contracts';
import { v7 } from 'uuid';
import type { EventTimes } from './event-times';
import type { EventType } from './event-type';
import type { Leaf } from './leaf';
import type { ReceivedEvent } from './received-event';

/** Everything of a whole event that does not stand in what was received. */
export interface Settled {
  readonly connection: Leaf;
  readonly anonymousId: Leaf;
  readonly type: EventType;
  /** `''` when there is none. */
  readonly context: string;
  readonly traits: Leaf;
  readonly receivedAt: Leaf;
  readonly times: EventTimes;
}

/** A whole event as text. */
export interface WrittenEvent {
  readonly text: string;
  /** See `bodyDigest` of the contracts. */
  readonly digest: string;
}

/** Members in the order of the event schema; those that only other types have are left out. */
export const writeEvent = (event: ReceivedEvent, settled: Settled): WrittenEvent => {
  const { times } = settled;
  const before = writeBefore(event, settled);
  const after = writeAfter(event, settled);
  const text = `${before},"receivedAt":${settled.receivedAt},"sentAt":${times.sentAt},"originalTimestamp":${
    times.originalTimestamp
  },"timestamp":${times.timestamp}${after}`;
  return { text, digest: bodyDigest(before, after) };
};

/** The members before the four times. */
const writeBefore = (event: ReceivedEvent, { type, context, ...settled }: Settled): string => {
  const isView = type === 'page' || type === 'screen';
  const isTrack = type === 'track';
  return `{"connectionId":${settled.connection},"anonymousId":${settled.anonymousId}${member(
    ',"channel":',
    event.channel,
  )}${member(',"category":', isView ? event.category : undefined)}${
    context === '' ? '' : `,"context":${context}`
  }${member(',"event":', isTrack ? event.event : undefined)}${member(
    ',"groupId":',
    type === 'group' ? event.groupId : undefined,
  )},"messageId":${event.messageId ?? newMessageId()}${member(
    ',"name":',
    isView ? event.name : undefined,
  )}${member(',"properties":', event.properties ?? (isView || isTrack ? '{}' : undefined))}`;
};

/** The members behind them. */
const writeAfter = (event: ReceivedEvent, { type, traits }: Settled): string =>
  `,"traits":${traits},"type":"${type}"${member(
    ',"previousId":',
    type === 'alias' ? event.previousId : undefined,
  )}${member(',"userId":', event.userId)}}`;

const member = (label: string, leaf: Leaf | undefined): string =>
  leaf === undefined ? '' : label + leaf;

/** Sortable by time. Source: RFC 9562, 5.7. */
const newMessageId = (): Leaf => `"${v7()}"`;
