import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { readAcceptedEvent, TOPIC } from '@penstock/contracts';
import { isJsonArray, isJsonObject, type Json, JsonNumber, parseJson } from '@penstock/schema';
import { source } from '../testing/installation.fixture';
import { IntakeStand } from '../testing/intake.fixture';

/** The file holds numbers that a double cannot. */
const file = parseJson(
  readFileSync(join(__dirname, '../../../../conformance/events.json'), 'utf8'),
) as ReadonlyMap<string, Json>;
const peer = file.get('peer') as string;

interface Vector {
  readonly source: string;
  readonly path: string;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly status: number;
  readonly events: readonly Json[] | undefined;
}

const vectors = (file.get('vectors') as readonly ReadonlyMap<string, Json>[]).map(
  (each): Vector => {
    const length = each.get('bodyLength');
    return {
      source: each.get('source') as string,
      path: each.get('path') as string,
      contentType: each.get('contentType') as string,
      headers: Object.fromEntries(each.get('headers') as ReadonlyMap<string, string>),
      body:
        length === undefined ? (each.get('body') as string) : jsonOf(Number(numberText(length))),
      status: Number(numberText(each.get('status'))),
      events: each.get('events') as readonly Json[] | undefined,
    };
  },
);

function numberText(json: Json | undefined): string {
  return (json as JsonNumber).text;
}

/** Valid JSON of that many bytes. */
function jsonOf(length: number): string {
  return `"${'x'.repeat(length - 2)}"`;
}

const stand = new IntakeStand({ peerAddress: () => peer });
const server = source('nodejs');
const browser = source('javascript');
stand.configure(server.state, browser.state);

beforeAll(() => stand.start());
afterAll(() => stand.stop());

const send = ({ source: kind, path, contentType, headers, body }: Vector) => {
  const { key } = kind === 'server' ? server : browser;
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(
      stand.url(path),
      {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': contentType,
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body.replaceAll('<writeKey>', key));
  });
};

const plain = (json: Json): unknown => {
  if (json instanceof JsonNumber) return { number: json.text };
  if (isJsonArray(json)) return json.map(plain);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries([...json].map(([name, value]) => [name, plain(value)]));
};

/** The placeholders of what was expected, replaced by what the event holds where the event may choose. */
const filled = (expected: unknown, actual: unknown, context: Filling): unknown => {
  if (typeof expected === 'string') return context.fill(expected, actual);
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return expected;
  const held = (actual ?? {}) as Record<string, unknown>;
  const members = Object.entries(expected).map(([name, value]) => [
    name,
    filled(value, held[name], context),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
};

class Filling {
  constructor(
    private readonly connection: string,
    private readonly receivedAt: string,
  ) {}

  fill(expected: string, actual: unknown): unknown {
    switch (expected) {
      case '<connection>':
        return this.connection;
      case '<receivedAt>':
        return this.receivedAt;
      case '<receivedAt-5s>':
        return new Date(Date.parse(this.receivedAt) - 5_000).toISOString().replace('.000Z', 'Z');
      case '<derived>':
        return expect.stringMatching(
          /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        );
      case '<generated>':
      case '<any>':
        return expect.stringMatching(/./);
      case '<optional>':
        return typeof actual === 'string' ? actual : undefined;
      default:
        return expected;
    }
  }
}

const isRejected = (event: Json): boolean => isJsonObject(event) && event.get('rejected') === true;

const title = ({ source: kind, path, body }: Vector): string =>
  `${kind} ${path} ${body.length > 120 ? `${body.slice(0, 120)}…` : body}`;

it.each(vectors.map((vector): [string, Vector] => [title(vector), vector]))(
  '%s',
  async (_, vector) => {
    const before = stand.log.recordsOf(TOPIC.events).length;
    const { status, text } = await send(vector);
    const records = stand.log.recordsOf(TOPIC.events).slice(before);
    expect({ status, text }).toEqual({ status: vector.status, text });
    const events = records.map(({ value }) =>
      plain(parseJson(readAcceptedEvent(value ?? '').eventText)),
    );
    const kept = (vector.events ?? []).filter((event) => !isRejected(event));
    expect(events).toEqual(
      kept.map((event, index) => {
        const { receivedAt } = events[index] as { receivedAt: string };
        const { id } = vector.source === 'server' ? server.state : browser.state;
        return filled(plain(event), events[index], new Filling(id, receivedAt));
      }),
    );
  },
);

it('derives one anonymous id from a user of a source, wherever it is seen', () => {
  const userEvents = stand
    .eventTexts()
    .map((text) => JSON.parse(text) as Record<'connectionId' | 'userId' | 'anonymousId', string>)
    .filter(({ userId, connectionId }) => userId === 'u' && connectionId === server.state.id);
  expect(userEvents.length).toBeGreaterThan(1);
  expect(new Set(userEvents.map(({ anonymousId }) => anonymousId)).size).toBe(1);
});
