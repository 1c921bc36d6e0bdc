import { createHmac } from 'node:crypto';
import { parseJson } from '@penstock/schema';
import { badPaths } from '../settings-table.fixture';
import { segmentConnector } from './segment-connector';

/**
 * Checked in November 2026 against the Webhooks (Actions) destination as Segment publishes it: SHA-1 in hex of
 * the first event's JSON in `X-Signature`, or of the whole body in `X-Segment-Signature`.
 */
const hmac = (text: string): string => createHmac('sha1', 'teehee').update(text).digest('hex');

const verify = (
  body: string,
  headers: Record<string, string>,
  plain = { sharedSecret: 'teehee' },
) =>
  segmentConnector.eventSource?.verify?.(
    Buffer.from(body),
    headers,
    segmentConnector.checkSettings(parseJson(JSON.stringify(plain)), 'Source'),
  );

const FIRST = '{"type":"track","n":1.50,"text":"ä\\n"}';
const BATCH = `[${FIRST},{"n":2}]`;

it.each<[string, Record<string, string>, boolean]>([
  [FIRST, { 'x-signature': hmac(FIRST) }, true],
  [FIRST, { 'x-signature': hmac(BATCH) }, false],
  [FIRST, {}, false],
  [BATCH, { 'x-signature': hmac(FIRST) }, true],
  [BATCH, { 'x-signature': hmac('{"n":2}') }, false],
  [BATCH, { 'x-segment-signature': hmac(BATCH) }, true],
  [BATCH, { 'x-segment-signature': hmac(FIRST) }, false],
  [BATCH, { 'x-segment-signature': 'bad', 'x-signature': hmac(FIRST) }, false],
  ['[]', { 'x-signature': hmac('[]') }, true],
  ['not JSON', { 'x-signature': hmac('not JSON') }, true],
  ['not JSON', { 'x-signature': hmac('other') }, false],
])('%s with %j is trusted: %s', (body, headers, trusted) => {
  expect(verify(body, headers)).toBe(trusted);
});

it('trusts everybody without a shared secret', () => {
  const settings = segmentConnector.checkSettings(new Map(), 'Source');
  expect(segmentConnector.eventSource?.verify?.(Buffer.from('{}'), {}, settings)).toBe(true);
});

it.each<[object, string[]]>([
  [{ sharedSecret: 's' }, []],
  [{ sharedSecret: 's'.repeat(255) }, []],
  [{ sharedSecret: '' }, ['/sharedSecret']],
  [{ sharedSecret: 's'.repeat(256) }, ['/sharedSecret']],
  [{ secret: 's' }, ['/secret']],
])('%j is bad in %j', (settings, paths) => {
  expect(badPaths(segmentConnector, settings)).toEqual(paths);
});
