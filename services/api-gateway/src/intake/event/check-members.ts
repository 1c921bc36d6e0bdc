import { codePointLength } from '@penstock/schema';
import { type EventType, isEventType } from './event-type';
import { isText, type Leaf, textOf, UNCLEAN } from './leaf';
import { isRaw } from './read-raw';
import type { ReceivedEvent, ScalarMember } from './received-event';
import { invalid, type Rejection } from './rejection';

/** Members that only some types of event have; on other types they are dropped unchecked. */
interface TypeMembers {
  readonly required?: ScalarMember;
  readonly optional: readonly ScalarMember[];
}

const MEMBERS_OF: Readonly<Record<EventType, TypeMembers>> = {
  alias: { required: 'previousId', optional: [] },
  group: { required: 'groupId', optional: [] },
  identify: { optional: [] },
  page: { optional: ['name', 'category'] },
  screen: { optional: ['name', 'category'] },
  track: { required: 'event', optional: [] },
};

const EVERYWHERE = ['messageId', 'anonymousId', 'userId', 'channel'] as const;

/** Maximal length of a messageId in characters. Source: the specification of intake. */
const MAX_MESSAGE_ID = 255;

/** Determines the type of an event, from its member or from the path that it was posted to. */
export const typeOf = (
  { type: given }: ReceivedEvent,
  byPath: EventType | undefined,
): EventType | Rejection => {
  if (given === undefined) return byPath ?? invalid('/type', 'is required');
  const type = isText(given) ? textOf(given) : '';
  if (!isEventType(type))
    return invalid('/type', 'must be alias, group, identify, page, screen or track');
  if (byPath !== undefined && type !== byPath)
    return invalid('/type', `must be ${byPath}, as the path says`);
  return type;
};

/** Finds the first fault among the members that an event of the type keeps. */
export const findFault = (event: ReceivedEvent, type: EventType): Rejection | undefined => {
  const { required, optional } = MEMBERS_OF[type];
  return (
    firstFault(event, EVERYWHERE) ??
    messageIdFault(event.messageId) ??
    idFault(event) ??
    (required && requiredFault(event, required, type)) ??
    firstFault(event, optional) ??
    objectFault('/properties', event.properties) ??
    objectFault('/traits', event.traits) ??
    objectFault('/integrations', event.integrations) ??
    (event.context === null ? invalid('/context', 'must be an object') : undefined)
  );
};

const firstFault = (
  event: ReceivedEvent,
  members: readonly ScalarMember[],
): Rejection | undefined => {
  for (const member of members) {
    const leaf = event[member];
    if (leaf !== undefined && !isText(leaf))
      return invalid(`/${member}`, faultOf(leaf, 'a string'));
  }
  return undefined;
};

const requiredFault = (
  event: ReceivedEvent,
  member: ScalarMember,
  type: EventType,
): Rejection | undefined =>
  event[member] === undefined
    ? invalid(`/${member}`, `is required for ${type}`)
    : firstFault(event, [member]);

const messageIdFault = (leaf: Leaf | undefined): Rejection | undefined =>
  leaf === undefined ||
  leaf.length - 2 <= MAX_MESSAGE_ID ||
  codePointLength(textOf(leaf)) <= MAX_MESSAGE_ID
    ? undefined
    : invalid('/messageId', `must have at most ${String(MAX_MESSAGE_ID)} characters`);

const idFault = ({ anonymousId, userId }: ReceivedEvent): Rejection | undefined =>
  anonymousId === undefined && userId === undefined
    ? invalid('', 'anonymousId or userId is required')
    : undefined;

const objectFault = (path: string, leaf: Leaf | undefined): Rejection | undefined =>
  leaf === undefined || isRaw(leaf) ? undefined : invalid(path, faultOf(leaf, 'an object'));

const faultOf = (leaf: Leaf, wanted: string): string =>
  leaf === UNCLEAN ? 'must not hold NUL or a lone surrogate' : `must be ${wanted}`;
