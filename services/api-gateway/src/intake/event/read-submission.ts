import type { ByteReader } from './byte-reader';
import { BYTE } from './bytes';
import { isText, type Leaf, textOf } from './leaf';
import { MalformedBody } from './malformed-body';
import { readContext } from './read-context';
import { readLeaf } from './read-leaf';
import { readRaw } from './read-raw';
import {
  newReceivedEvent,
  type ReceivedEvent,
  SCALAR_MEMBERS,
  type ScalarMember,
} from './received-event';
import type { ReceivedContext } from './received-context';

const { OPEN_BRACE, OPEN_BRACKET } = BYTE;

/** The body of one request. */
export interface Submission {
  /** The body that it was read from. */
  readonly body: Buffer;
  /** In the order of the body. */
  readonly events: ReceivedEvent[];
  /** Whether it is an array or a batch rather than a single event. */
  readonly isMany: boolean;
  /** The batch's, for events that have none of their own. */
  readonly sentAt: Leaf | undefined;
  readonly context: ReceivedContext | undefined;
  /** The write key in the body. */
  readonly writeKey: string | undefined;
}

const SCALARS: ReadonlyMap<string, ScalarMember> = new Map(
  SCALAR_MEMBERS.map((name) => [name, name]),
);

/**
 * Reads a body: one event, an array of events, or `{"batch": […], "sentAt"?, "context"?, "writeKey"?}`.
 *
 * @throws MalformedBody
 */
export const readSubmission = (reader: ByteReader, maxEvents: number): Submission => {
  const submission =
    reader.peek() === OPEN_BRACKET
      ? {
          body: reader.bytes,
          isMany: true,
          events: readEvents(reader, maxEvents),
          sentAt: undefined,
          context: undefined,
          writeKey: undefined,
        }
      : readObject(reader, maxEvents);
  reader.end();
  return submission;
};

const readObject = (reader: ByteReader, maxEvents: number): Submission => {
  if (reader.peek() !== OPEN_BRACE) {
    reader.skip();
    throw new MalformedBody('the body must be an event, an array of events or a batch');
  }
  const start = reader.at;
  const outer = newReceivedEvent(start);
  let batch: ReceivedEvent[] | undefined;
  let writeKey: Leaf | undefined;
  reader.enterObject();
  for (let name = reader.nextName(); name !== undefined; name = reader.nextName()) {
    if (name === 'batch') batch = readBatch(reader, maxEvents);
    else if (name === 'writeKey') writeKey = readLeaf(reader);
    else readMember(reader, outer, name);
  }
  outer.bytes = reader.at - start;
  const key = writeKey !== undefined && isText(writeKey) ? textOf(writeKey) : writeKey;
  const body = reader.bytes;
  return batch === undefined
    ? { body, isMany: false, events: [outer], sentAt: undefined, context: undefined, writeKey: key }
    : {
        body,
        isMany: true,
        events: batch,
        sentAt: outer.sentAt,
        context: contextOf(outer),
        writeKey: key,
      };
};

const contextOf = ({ context }: ReceivedEvent): ReceivedContext | undefined => {
  if (context === null) throw new MalformedBody('must be an object', '/context');
  return context;
};

const readBatch = (reader: ByteReader, maxEvents: number): ReceivedEvent[] | undefined => {
  if (reader.peek() === OPEN_BRACKET) return readEvents(reader, maxEvents);
  if (readLeaf(reader) === undefined) return undefined;
  throw new MalformedBody('must be an array of events', '/batch');
};

const readEvents = (reader: ByteReader, maxEvents: number): ReceivedEvent[] => {
  const events: ReceivedEvent[] = [];
  reader.enterArray();
  while (reader.nextElement()) {
    if (events.length === maxEvents)
      throw new MalformedBody(`the body holds more than ${String(maxEvents)} events`);
    events.push(readEvent(reader));
  }
  return events;
};

const readEvent = (reader: ByteReader): ReceivedEvent => {
  const isObject = reader.peek() === OPEN_BRACE;
  const start = reader.at;
  const event = newReceivedEvent(start);
  event.isObject = isObject;
  if (event.isObject) {
    reader.enterObject();
    for (let name = reader.nextName(); name !== undefined; name = reader.nextName())
      readMember(reader, event, name);
  } else reader.skip();
  event.bytes = reader.at - start;
  return event;
};

const readMember = (reader: ByteReader, event: ReceivedEvent, name: string): void => {
  const scalar = SCALARS.get(name);
  if (scalar !== undefined) event[scalar] = readLeaf(reader);
  else if (name === 'properties') event.properties = readRaw(reader);
  else if (name === 'traits') event.traits = readRaw(reader);
  else if (name === 'context') event.context = readContext(reader);
  else if (name === 'integrations') event.integrations = readRaw(reader);
  else reader.skip();
};
