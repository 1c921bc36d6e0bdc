import { gzipSync } from 'node:zlib';
import { breakOff, type RawRequest } from '../../harness/raw-request';
import {
  type ErrorBody,
  expectRefused,
  json,
  malformed,
  NO_KEY,
  NO_METHOD,
  NONE,
  type Refused,
  TOO_LARGE,
  UNSUPPORTED,
} from '../refusal';
import type { Run, Table } from '../table';
import { type Answer, bearer, type World } from '../world';

type Row = [title: string, call: string, request: RawRequest, refused: Refused];

const track = (members: object = {}): object => ({
  type: 'track',
  event: 'Bad',
  userId: 'ada',
  ...members,
});

/** A valid event of exactly so many bytes. */
const eventOf = (bytes: number): string => {
  const empty = JSON.stringify(track({ properties: { text: '' } }));
  return JSON.stringify(track({ properties: { text: 'x'.repeat(bytes - empty.length) } }));
};

const LIMIT = 4_194_304;
const gzip = (text: string | Buffer): RawRequest => ({
  headers: { 'Content-Encoding': 'gzip' },
  body: gzipSync(text),
});

const REFUSED: Row[] = [
  ['no JSON', 'POST /v1/events', { body: '{"type":' }, malformed('')],
  ['no body', 'POST /v1/events', NONE, malformed('')],
  ['a string', 'POST /v1/events', { body: '"track"' }, malformed('')],
  ['no type', 'POST /v1/events', json({ userId: 'ada' }), malformed('/type')],
  ['a type that is none', 'POST /v1/events', json(track({ type: 'buy' })), malformed('/type')],
  ['a type that the path contradicts', 'POST /v1/events/page', json(track()), malformed('/type')],
  ['a track without event', 'POST /v1/track', json({ userId: 'ada' }), malformed('/event')],
  ['nobody', 'POST /v1/track', json({ event: 'A' }), malformed('')],
  [
    'a time that is none',
    'POST /v1/track',
    json(track({ timestamp: 'yesterday' })),
    malformed('/timestamp'),
  ],
  [
    'properties that are no object',
    'POST /v1/track',
    json(track({ properties: [] })),
    malformed('/properties'),
  ],
  [
    'a message id of 256 characters',
    'POST /v1/track',
    json(track({ messageId: 'm'.repeat(256) })),
    malformed('/messageId'),
  ],
  ['an event of 32,769 bytes', 'POST /v1/events', { body: eventOf(32_769) }, malformed('')],
  ['a batch of no array', 'POST /v1/batch', json({ batch: {} }), malformed('/batch')],
  [
    '20,001 events',
    'POST /v1/batch',
    { body: `{"batch":[${'{},'.repeat(20_000)}{}]}` },
    malformed(''),
  ],
  [
    'a body 33 deep',
    'POST /v1/events',
    { body: `${'['.repeat(33)}${']'.repeat(33)}` },
    malformed(''),
  ],
  [
    'broken gzip',
    'POST /v1/events',
    { headers: { 'Content-Encoding': 'gzip' }, body: 'no gzip' },
    malformed(''),
  ],
  [
    'gzip without its end',
    'POST /v1/events',
    {
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(JSON.stringify(track())).subarray(0, -9),
    },
    malformed(''),
  ],
  [
    'gzip that grows beyond the limit',
    'POST /v1/events',
    gzip(Buffer.alloc(LIMIT + 1, ' ')),
    TOO_LARGE,
  ],
  [
    'another encoding',
    'POST /v1/events',
    { headers: { 'Content-Encoding': 'br' }, body: 'x' },
    UNSUPPORTED,
  ],
  [
    'another charset',
    'POST /v1/events',
    { headers: { 'Content-Type': 'text/plain; charset=latin1' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['a length over the limit', 'POST /v1/events', { body: Buffer.alloc(LIMIT + 1, ' ') }, TOO_LARGE],
  [
    'chunks beyond the limit',
    'POST /v1/events',
    { chunks: Array.from({ length: 5 }, () => Buffer.alloc(1_048_576, ' ')) },
    TOO_LARGE,
  ],
  ['another method', 'GET /v1/events', NONE, NO_METHOD],
  ['no key', 'POST /v1/events', { ...json(track()), headers: { Authorization: '' } }, NO_KEY],
  [
    'an unknown key',
    'POST /v1/events',
    { ...json(track()), headers: { Authorization: `Bearer ${'0'.repeat(32)}` } },
    NO_KEY,
  ],
  [
    'a bad key beside a good one',
    'POST /v1/events?writeKey={writeKey}',
    { ...json(track()), headers: { Authorization: 'Bearer x' } },
    NO_KEY,
  ],
  [
    'an API key',
    'POST /v1/events',
    { ...json(track()), headers: { Authorization: `Bearer pk_${'0'.repeat(40)}` } },
    NO_KEY,
  ],
  ['an unknown key in the path', `POST /v1/webhooks/${'0'.repeat(32)}`, json(track()), NO_KEY],
];

const atIntake = (
  world: World,
  call: string,
  { headers, ...request }: RawRequest,
): Promise<Answer> =>
  world.ask(call, { ...request, headers: { ...bearer(world.ids.writeKey), ...headers } });

const refusesAtIntake =
  ([, call, request, refused]: Row): Run =>
  async (world) => {
    const answer = await atIntake(world, call, request);
    expectRefused(answer, refused);
    const { code, message, error } = JSON.parse(answer.text) as ErrorBody & ErrorBody['error'];
    expect({ code, message }).toEqual({ code: error.code, message: error.message });
  };

const EVENT = JSON.stringify(track());

const TAKEN: [
  title: string,
  call: string,
  request: (key: string) => RawRequest,
  accepted: number,
][] = [
  ['an event of 32,768 bytes', 'POST /v1/events', () => ({ body: eventOf(32_768) }), 1],
  ['gzip', 'POST /v1/events', () => gzip(EVENT), 1],
  [
    'chunks',
    'POST /v1/events',
    () => ({ chunks: Array.from(EVENT, (each) => Buffer.from(each)) }),
    1,
  ],
  [
    'any media type',
    'POST /v1/events',
    () => ({ headers: { 'Content-Type': 'image/png' }, body: EVENT }),
    1,
  ],
  ['4 MiB', 'POST /v1/events', () => ({ body: EVENT.padEnd(LIMIT) }), 1],
  ['an empty batch', 'POST /v1/batch', () => json({ batch: [] }), 0],
  ['unknown members', 'POST /v1/events', () => json(track({ color: 'red' })), 1],
  [
    'the key as the user of Basic',
    'POST /v1/events',
    (key) => ({
      headers: { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
      body: EVENT,
    }),
    1,
  ],
  [
    'the key in the query',
    'POST /v1/events?writeKey={writeKey}',
    () => ({ headers: { Authorization: '' }, body: EVENT }),
    1,
  ],
  [
    'the key in the body',
    'POST /v1/events',
    (key) => ({
      headers: { Authorization: '' },
      body: JSON.stringify(track({ writeKey: key })),
    }),
    1,
  ],
  [
    'a webhook',
    'POST /v1/webhooks/{writeKey}',
    () => ({ headers: { Authorization: '' }, body: EVENT }),
    1,
  ],
];

const takesAtIntake =
  ([, call, request, accepted]: (typeof TAKEN)[number]): Run =>
  async (world) => {
    const answer = await atIntake(world, call, request(world.ids.writeKey));
    expect({ status: answer.status, ...answer.json }).toEqual({ status: 200, accepted });
  };

const byTitle = <T extends readonly [string, ...unknown[]]>(
  rows: readonly T[],
  run: (row: T) => Run,
): Record<string, Run> => Object.fromEntries(rows.map((row) => [row[0], run(row)]));

const ofMessage = (messageId: string): object => track({ event: 'Good', messageId });

export const INTAKE: Table = {
  'intake refuses': byTitle(REFUSED, refusesAtIntake),
  'intake takes': byTitle(TAKEN, takesAtIntake),
  'a batch: its valid events are accepted, the others named': async (world) => {
    const batch = [
      ofMessage('first'),
      track({ event: '', messageId: 'second' }),
      5,
      eventOf(32_769),
    ];
    const body = `{"batch":[${batch.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join()}]}`;
    const answer = await atIntake(world, 'POST /v1/batch', { body });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      accepted: 1,
      rejected: [
        {
          index: 1,
          messageId: 'second',
          code: 'InvalidEvent',
          path: '/event',
          message: expect.any(String) as string,
        },
        { index: 2, code: 'InvalidEvent', path: '', message: expect.any(String) as string },
        { index: 3, code: 'EventTooLarge', path: '', message: expect.any(String) as string },
      ],
    });
    await world.arrival('first');
  },
  'nothing of what was refused or broken off is delivered': async (world) => {
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.ids.writeKey}\r\n`;
    const { address } = world.installation;
    await breakOff(address, `${head}Content-Length: 1000\r\n\r\n{"type":"track"`);
    await breakOff(address, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"typ`);
    const before = ofMessage('refused');
    const answer = await atIntake(world, 'POST /v1/events', json({ ...before, timestamp: 'x' }));
    expect(answer.status).toBe(400);
    const last = await atIntake(world, 'POST /v1/events', json(ofMessage('last')));
    expect(last.status).toBe(200);
    await world.arrival('last');
    const delivered = world.receiver.delivered.map(({ body }) => body['id']);
    expect(delivered).not.toContain('refused');
  },
};
