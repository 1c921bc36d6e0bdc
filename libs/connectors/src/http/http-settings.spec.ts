import { badPaths, checked, issuesOf } from '../settings-table.fixture';
import { httpConnector } from './http-connector';

const url = 'https://example.com/in';
const header = { name: 'X-Own', value: 'v' };
const basic = { type: 'basic', username: 'u', password: 'p' };
const bearer = { type: 'bearer', token: 't' };

it('fills in defaults and orders the members', () => {
  const settings = checked(httpConnector, { url });
  expect(JSON.stringify(settings)).toBe(
    JSON.stringify({
      url,
      method: 'POST',
      headers: [],
      auth: null,
      batchSize: 1,
      timeout: 30,
    }),
  );
});

it('keeps what is given', () => {
  const given = {
    url,
    method: 'PATCH',
    headers: [{ ...header, secret: true }],
    auth: basic,
    signingSecret: 's'.repeat(16),
    batchSize: 1_000,
    timeout: 60,
    rate: 10_000,
  };
  expect(checked(httpConnector, given)).toEqual(given);
});

const long = (length: number): string => `https://example.com/${'x'.repeat(length - 20)}`;

it.each<[object]>([
  [{ url: 'http://localhost:8080/?a=b#c' }],
  [{ url: 'HTTPS://example.com' }],
  [{ url: long(2_048) }],
  [{ url, method: 'PUT' }],
  [{ url, headers: Array.from({ length: 50 }, (_, n) => ({ ...header, name: `X-${String(n)}` })) }],
  [{ url, headers: [{ name: 'x', value: '' }] }],
  [{ url, headers: [{ name: 'x'.repeat(256), value: 'v'.repeat(8_192) }] }],
  [{ url, headers: [{ name: "!#$%&'*+-.^_`|~09azAZ", value: 'a b\tc~' }] }],
  [{ url, headers: [{ name: 'Authorization', value: 'x' }], auth: null }],
  [{ url, auth: { ...basic, username: 'u'.repeat(255), password: '' } }],
  [{ url, auth: { ...basic, password: 'ü:'.repeat(127) } }],
  [{ url, auth: { ...bearer, token: 't'.repeat(8_192) } }],
  [{ url, signingSecret: 'ü'.repeat(16) }],
  [{ url, signingSecret: 's'.repeat(255) }],
  [{ url, batchSize: 1, timeout: 1, rate: 1 }],
])('%j is good', (settings) => {
  expect(badPaths(httpConnector, settings)).toEqual([]);
});

it.each<[string, object]>([
  ['/url', {}],
  ['/url', { url: 1 }],
  ['/url', { url: null }],
  ['/url', { url: '' }],
  ['/url', { url: long(2_049) }],
  ['/url', { url: 'example.com' }],
  ['/url', { url: 'https:example.com' }],
  ['/url', { url: 'https://' }],
  ['/url', { url: 'https://[' }],
  ['/url', { url: 'ftp://example.com' }],
  ['/url', { url: 'https://user@example.com' }],
  ['/url', { url: 'https://:password@example.com' }],
  ['/url', { url: ' https://example.com' }],
  ['/url', { url: 'https://example.com/a b' }],
  ['/url', { url: 'https://example.com/\u0000' }],
  ['/method', { url, method: 'GET' }],
  ['/method', { url, method: 'post' }],
  ['/method', { url, method: null }],
  ['/headers', { url, headers: {} }],
  ['/headers', { url, headers: Array.from({ length: 51 }, () => header) }],
  ['/headers/0', { url, headers: ['X: y'] }],
  ['/headers/0/name', { url, headers: [{ value: 'v' }] }],
  ['/headers/0/value', { url, headers: [{ name: 'n' }] }],
  ['/headers/0/more', { url, headers: [{ ...header, more: 1 }] }],
  ['/headers/0/secret', { url, headers: [{ ...header, secret: 'yes' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: '' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'x'.repeat(257) }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'a b' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'a:' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'ä' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'Host' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'content-length' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'Transfer-Encoding' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'CONNECTION' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'User-Agent' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'Idempotency-Key' }] }],
  ['/headers/0/name', { url, headers: [{ ...header, name: 'Penstock-Signature' }] }],
  ['/headers/0/value', { url, headers: [{ ...header, value: 'v'.repeat(8_193) }] }],
  ['/headers/0/value', { url, headers: [{ ...header, value: 'a\nb' }] }],
  ['/headers/0/value', { url, headers: [{ ...header, value: ' a' }] }],
  ['/headers/0/value', { url, headers: [{ ...header, value: 'ä' }] }],
  ['/headers/1/name', { url, headers: [header, { ...header, name: 'x-own' }] }],
  ['/headers/0/name', { url, headers: [{ name: 'AUTHORIZATION', value: 'x' }], auth: basic }],
  ['/auth', { url, auth: 'basic' }],
  ['/auth/type', { url, auth: {} }],
  ['/auth/type', { url, auth: { type: 'digest' } }],
  ['/auth/username', { url, auth: { type: 'basic', password: 'p' } }],
  ['/auth/username', { url, auth: { ...basic, username: '' } }],
  ['/auth/username', { url, auth: { ...basic, username: 'u'.repeat(256) } }],
  ['/auth/username', { url, auth: { ...basic, username: 'a:b' } }],
  ['/auth/password', { url, auth: { type: 'basic', username: 'u' } }],
  ['/auth/password', { url, auth: { ...basic, password: 'p'.repeat(256) } }],
  ['/auth/token', { url, auth: { type: 'bearer' } }],
  ['/auth/token', { url, auth: { ...basic, token: 't' } }],
  ['/auth/token', { url, auth: { ...bearer, token: '' } }],
  ['/auth/token', { url, auth: { ...bearer, token: 't'.repeat(8_193) } }],
  ['/auth/token', { url, auth: { ...bearer, token: 'a b' } }],
  ['/auth/token', { url, auth: { ...bearer, token: 'a\r\nb' } }],
  ['/signingSecret', { url, signingSecret: 's'.repeat(15) }],
  ['/signingSecret', { url, signingSecret: 's'.repeat(256) }],
  ['/signingSecret', { url, signingSecret: null }],
  ['/batchSize', { url, batchSize: 0 }],
  ['/batchSize', { url, batchSize: 1_001 }],
  ['/batchSize', { url, batchSize: '1' }],
  ['/batchSize', { url, batchSize: 1.5 }],
  ['/timeout', { url, timeout: 0 }],
  ['/timeout', { url, timeout: 61 }],
  ['/rate', { url, rate: 0 }],
  ['/rate', { url, rate: 10_001 }],
  ['/rate', { url, rate: null }],
  ['/a~1b', { url, 'a/b': 1 }],
])('%s is bad in %j', (path, settings) => {
  expect(badPaths(httpConnector, settings)).toEqual([path]);
});

it.each(['1.0', '1e0', '-1'])('%s is no batch size', (number) => {
  expect(issuesOf(httpConnector, `{"url":"${url}","batchSize":${number}}`)).toEqual([
    { path: '/batchSize', message: 'must be an integer of 1 to 1000' },
  ]);
});

it('names everything that is wrong, and repeats no value', () => {
  const settings = { method: 'secret', auth: { type: 'bearer', token: 'secret secret' }, more: 1 };
  const issues = issuesOf(httpConnector, JSON.stringify(settings));
  expect(issues.map(({ path }) => path)).toEqual(['/url', '/method', '/auth/token', '/more']);
  expect(JSON.stringify(issues)).not.toContain('secret');
});

it.each(['null', '[]', '"text"', '1'])('%s are no settings', (text) => {
  expect(issuesOf(httpConnector, text)).toEqual([{ path: '', message: 'must be an object' }]);
});
