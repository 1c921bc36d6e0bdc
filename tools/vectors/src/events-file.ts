import {
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
} from '@penstock/schema';
import type { CaseFile, MakeCase } from './case-file';
import type { IntakeStand } from './intake-stand';
import { asArray, asObject, asText, FormatError } from './members';
import { filled, type Known } from './placeholders';
import type { Source } from './sources';

type Plain = Record<string, unknown>;

/** Json in a form for deep comparison: numbers by their text. */
const plain = (json: Json): unknown => {
  if (json instanceof JsonNumber) return { number: json.text };
  if (isJsonArray(json)) return json.map(plain);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries([...json].map(([name, value]) => [name, plain(value)]));
};

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The expected value, with placeholders filled from the event's value at the same place. */
const expectedOf = (expected: unknown, actual: unknown, known: Known): unknown => {
  if (typeof expected === 'string') return filled(expected, actual, known);
  if (!isPlain(expected)) return expected;
  const held = isPlain(actual) ? actual : {};
  const members = Object.entries(expected).map(([name, value]) => [
    name,
    expectedOf(value, held[name], known),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
};

const isRejected = (event: Json): boolean => isJsonObject(event) && event.get('rejected') === true;

/** The ids that were derived from users so far: each user of a source must always have the same one. */
class DerivedIds {
  private readonly ids = new Map<string, string>();

  of(source: Source, event: Plain): string | undefined {
    return this.ids.get(keyOf(source, event));
  }

  learn(source: Source, event: Plain, expected: unknown): void {
    const isDerived = isPlain(expected) && expected['anonymousId'] === '<derived>';
    const { anonymousId } = event as { anonymousId?: unknown };
    if (isDerived && typeof anonymousId === 'string')
      this.ids.set(keyOf(source, event), anonymousId);
  }
}

const keyOf = ({ id }: Source, { userId }: Plain): string => JSON.stringify([id, userId]);

/** Valid JSON of the given number of bytes. */
const jsonOf = (bytes: number): string => `"${'x'.repeat(bytes - '""'.length)}"`;

const bodyOf = (members: JsonObject): string => {
  const length = members.get('bodyLength');
  return length === undefined ? asText(members.get('body')) : jsonOf(Number(asText(length)));
};

const headersOf = (members: JsonObject, key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  'Content-Type': asText(members.get('contentType')),
  ...Object.fromEntries(
    [...asObject(members.get('headers'))].map(([name, value]) => [name, asText(value)]),
  ),
});

const titleOf = (members: JsonObject): string => {
  const [source, path] = [asText(members.get('source')), asText(members.get('path'))];
  return `${source} ${path} ${bodyOf(members).slice(0, 120)}`;
};

const vector = (stand: IntakeStand): MakeCase => {
  const derivedIds = new DerivedIds();
  return (members) => {
    const source = stand.sources[asText(members.get('source'))];
    if (!source) throw new FormatError('the source is not known');
    const expectedEvents = members.get('events');
    const kept = asArray(expectedEvents ?? [])
      .filter((event) => !isRejected(event))
      .map(plain);
    const expect = (event: unknown, actual: unknown): unknown => {
      const held = isPlain(actual) ? actual : {};
      const receivedAt = String(held['receivedAt']);
      const known = { connection: source.id, receivedAt, derived: derivedIds.of(source, held) };
      derivedIds.learn(source, held, event);
      return expectedOf(event, actual, known);
    };
    return {
      title: titleOf(members),
      run: async () => {
        const { status, events } = await stand.send({
          url: asText(members.get('path')),
          headers: headersOf(members, source.key),
          body: bodyOf(members).replaceAll('<writeKey>', source.key),
        });
        const actual = events.map((text) => plain(parseJson(text)));
        return {
          expected: {
            status: Number(asText(members.get('status'))),
            events: kept.map((event, index) => expect(event, actual[index])),
          },
          actual: { status, events: actual },
        };
      },
    };
  };
};

/** The format of `events.json`. @param stand receives one case after the other. */
export const eventsFile = (stand: IntakeStand): CaseFile => ({
  headers: ['placeholders', 'peer'],
  lists: () => ({ vectors: vector(stand) }),
});

/** The address that requests of the file's cases come from. @throws FormatError */
export const peerOf = (file: JsonObject): string => asText(file.get('peer'));
