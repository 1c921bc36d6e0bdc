import { parseJson } from '@penstock/schema';
import { badPaths, checked } from '../settings-table.fixture';
import { webhookConnector } from './webhook-connector';

const signature = { header: 'X-Hub-Signature-256', secret: 'teehee' };
const body = Buffer.from('{"n":1}');
/** `printf '{"n":1}' | openssl dgst -sha256 -hmac teehee` */
const HMAC = 'b0a57614bbe111c820b9a4996d2d7146ce44f76704bea471970e5c090f0668c1';

const verify = (headers: Record<string, string | string[]>, plain: object = { signature }) =>
  webhookConnector.eventSource?.verify?.(
    body,
    headers,
    webhookConnector.checkSettings(parseJson(JSON.stringify(plain)), 'Source'),
  );

it.each<[Record<string, string | string[]>, boolean]>([
  [{ 'x-hub-signature-256': HMAC }, true],
  [{ 'x-hub-signature-256': HMAC.toUpperCase() }, true],
  [{ 'x-hub-signature-256': `sha256=${HMAC}` }, true],
  [{ 'x-hub-signature-256': `sha1=${HMAC}` }, false],
  [{ 'x-hub-signature-256': `${HMAC}00` }, false],
  [{ 'x-hub-signature-256': HMAC.slice(0, -2) }, false],
  [{ 'x-hub-signature-256': HMAC.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }, false],
  [{ 'x-hub-signature-256': `${HMAC.slice(0, -1)}g` }, false],
  [{ 'x-hub-signature-256': [HMAC, HMAC] }, false],
  [{ 'x-hub-signature-256': '' }, false],
  [{ 'x-signature': HMAC }, false],
  [{}, false],
])('headers %j are trusted: %s', (headers, trusted) => {
  expect(verify(headers)).toBe(trusted);
});

it('trusts everybody without a signature setting', () => {
  expect(verify({}, {})).toBe(true);
});

it('fills in the algorithm', () => {
  expect(checked(webhookConnector, { signature })).toEqual({
    signature: { ...signature, algorithm: 'sha256' },
  });
});

it.each<[string, object]>([
  ['/signature', { signature: null }],
  ['/signature/header', { signature: { secret: 's' } }],
  ['/signature/header', { signature: { ...signature, header: 'a b' } }],
  ['/signature/secret', { signature: { header: 'h' } }],
  ['/signature/secret', { signature: { ...signature, secret: '' } }],
  ['/signature/secret', { signature: { ...signature, secret: 's'.repeat(256) } }],
  ['/signature/algorithm', { signature: { ...signature, algorithm: 'sha1' } }],
  ['/ip', { ip: 'keep' }],
])('%s is bad in %j', (path, settings) => {
  expect(badPaths(webhookConnector, settings)).toEqual([path]);
});
