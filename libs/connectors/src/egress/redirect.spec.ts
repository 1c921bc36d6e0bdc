import type { IncomingResponse, OutgoingRequest } from '../connector/guarded-http';
import { redirected } from './redirect';

const request = (changes: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url: 'https://example.com/in?key=1',
  headers: {
    Authorization: 'Bearer x',
    'Content-Type': 'application/json',
    'Idempotency-Key': 'k',
    'Penstock-Signature': 's',
    'X-Key': 'y',
  },
  body: '{}',
  timeoutMs: 1_000,
  ...changes,
});

const to = (location: string, status = 307): IncomingResponse => ({
  status,
  headers: { location },
  body: '',
});

it.each([
  [307, 'POST', true],
  [308, 'POST', true],
  [301, 'POST', false],
  [302, 'POST', false],
  [303, 'POST', false],
  [300, 'GET', false],
  [301, 'GET', true],
  [302, 'GET', true],
  [303, 'GET', true],
  [304, 'GET', false],
  [307, 'GET', true],
  [308, 'GET', true],
  [302, 'DELETE', false],
  [200, 'GET', false],
] as const)('%d of a %s is followed: %s', (status, method, followed) => {
  expect(redirected(request({ method }), to('/other', status)) !== undefined).toBe(followed);
});

it('keeps method, body and headers on the same origin', () => {
  expect(redirected(request(), to('/other'))).toEqual(
    request({ url: 'https://example.com/other' }),
  );
  expect(redirected(request(), to('https://example.com:443/other'))?.headers).toEqual(
    request().headers,
  );
});

it.each(['https://example.org/', 'https://sub.example.com/', 'https://example.com:444/'])(
  'lets the other origin %s see harmless headers only',
  (location) => {
    expect(redirected(request(), to(location))).toEqual(
      request({
        url: location,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
      }),
    );
  },
);

it('may go from http to https, never back', () => {
  const plain = request({ url: 'http://example.com/' });
  expect(redirected(plain, to('https://example.com/'))?.url).toBe('https://example.com/');
  expect(redirected(request(), to('http://example.com/'))).toBeUndefined();
});

it.each([
  'https://user@example.com/',
  'https://:secret@example.com/',
  'https://[',
  'ftp://example.com/',
])('does not go to %s', (location) => {
  expect(redirected(request(), to(location))).toBeUndefined();
});

it('goes nowhere without a location', () => {
  expect(redirected(request(), { status: 307, headers: {}, body: '' })).toBeUndefined();
});
