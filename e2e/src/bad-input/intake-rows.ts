import { gzipSync } from 'node:zlib';
import type { RawRequest } from '../harness/raw-request';
import { json, malformed, NO_KEY, NONE, type Row, TOO_LARGE, UNSUPPORTED } from './refusal';

export const track = (members: object = {}): object => ({
  type: 'track',
  event: 'Bad',
  userId: 'ada',
  ...members,
});

/** A valid event of exactly so many bytes. */
export const eventOf = (bytes: number): string => {
  const empty = JSON.stringify(track({ properties: { text: '' } }));
  return JSON.stringify(track({ properties: { text: 'x'.repeat(bytes - empty.length) } }));
};

export const LIMIT = 4_194_304;
export const gzip = (text: string | Buffer): RawRequest => ({
  headers: { 'Content-Encoding': 'gzip' },
  body: gzipSync(text),
});

export const INTAKE: Row[] = [
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
  [
    'another method',
    'GET /v1/events',
    NONE,
    { status: 405, code: 'MethodNotAllowed', message: 'method is not allowed' },
  ],
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
