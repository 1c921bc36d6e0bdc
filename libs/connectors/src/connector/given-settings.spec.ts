import { Invalid, parseJson, writeJson } from '@penstock/schema';
import { httpConnector } from '../http/http-connector';
import type { Settings } from './connector';
import { givenSettings } from './given-settings';
import { maskSettings } from './mask-settings';

const json = (plain: unknown) => parseJson(JSON.stringify(plain));

/** Headers cannot hold dots: those that are masked can only be kept. */
const header = (name: string, value: string) => ({ name, value, secret: true });
const URL = 'https://example.com/';
const PLAIN = {
  url: URL,
  auth: { type: 'bearer', token: 'token-1234' },
  signingSecret: '0123456789abcdef',
  headers: [header('X-Key', 'first-5678'), header('X-Other', 'other-5678')],
};
const PRESENT = givenSettings(httpConnector, json(PLAIN), 'Destination');

const given = (plain: unknown, present: Settings | undefined = PRESENT) =>
  JSON.parse(
    writeJson(givenSettings(httpConnector, json(plain), 'Destination', present)),
  ) as unknown;

const badPaths = (plain: unknown, present?: Settings): string[] => {
  try {
    givenSettings(httpConnector, json(plain), 'Destination', present);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues.map(({ path }) => path);
    throw error;
  }
};

it('keeps every secret when all is sent back as it was shown', () => {
  const shown = JSON.parse(writeJson(maskSettings(httpConnector, PRESENT))) as unknown;
  expect(given(shown)).toEqual(given(PLAIN));
  expect(JSON.stringify(shown)).not.toContain('token-1234');
});

it.each<[title: string, plain: object, expected: object]>([
  ['what is not masked is taken', { auth: { type: 'bearer', token: 'new' } }, {}],
  ['what is left out goes', {}, { headers: [] }],
  [
    'a header is the one of its name',
    { headers: [header('X-Other', '••••5678'), header('X-New', 'new-9')] },
    { headers: [header('X-Other', 'other-5678'), header('X-New', 'new-9')] },
  ],
  [
    'a masked value is kept when its neighbours change',
    { auth: { type: 'basic', username: 'u', password: 'p' }, signingSecret: '••••cdef' },
    { signingSecret: '0123456789abcdef' },
  ],
])('%s', (_, plain, expected) => {
  expect(given({ url: URL, ...plain })).toMatchObject({ ...plain, ...expected });
});

it.each<[title: string, plain: object, paths: string[]]>([
  ['another secret', { auth: { type: 'bearer', token: '••••4321' } }, ['/auth/token']],
  [
    'a secret of another place',
    { auth: { type: 'basic', username: 'u', password: '••••1234' } },
    ['/auth/password'],
  ],
  ['a header of another name', { headers: [header('X-New', '••••5678')] }, ['/headers/0/value']],
])('a mask that stands for %s is bad', (_, plain, paths) => {
  expect(badPaths({ url: URL, ...plain }, PRESENT)).toEqual(paths);
});

it('a mask does not turn a secret into something that is shown', () => {
  const headers = [{ ...header('X-Key', '••••5678'), secret: false }];
  expect(badPaths({ url: URL, headers }, PRESENT)).toEqual(['/headers/0/value']);
});

it('a new connection can send no mask', () => {
  expect(badPaths({ url: URL, auth: { type: 'bearer', token: '••••1234' } })).toEqual([
    '/auth/token',
  ]);
});

it('a text that is no secret may look like a mask', () => {
  const auth = { type: 'basic', username: '••••1234', password: 'p' };
  expect(badPaths({ url: URL, auth })).toEqual([]);
});
