import { withoutSecrets } from './without-secrets';

/** Of what encoders write otherwise, and of what looks as if one had written it. */
const SECRET = 'p"w\\d/+<&>\'=%41 (é😀)\t\\n&amp;1';

const HTML: Readonly<Record<string, string>> = {
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
};

const inHtml = (text: string): string =>
  text.replace(/["'<>&]/g, (character) => HTML[character] ?? '');

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Everything but letters and digits, as some libraries of JSON write it. */
const inAscii = (text: string): string =>
  inJson(text).replace(
    /[^0-9a-z\\]/gi,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

it.each([
  ['as it is', SECRET],
  ['in JSON', inJson(SECRET)],
  ['in JSON with escaped slashes', inJson(SECRET).replaceAll('/', '\\/')],
  ['in JSON of ASCII alone', inAscii(SECRET)],
  ['in JSON in JSON', inJson(inJson(SECRET))],
  ['in a URL', encodeURIComponent(SECRET)],
  [
    'in a URL, in lower case',
    encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase()),
  ],
  ['in a URL, in JSON', inJson(encodeURIComponent(SECRET))],
  ['in a form', new URLSearchParams({ s: SECRET }).toString().slice(2)],
  ['in HTML', inHtml(SECRET)],
  [
    'in HTML by numbers',
    SECRET.replace(/["'<>&]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  ],
  ['in JSON in HTML', inHtml(inJson(SECRET))],
])('a secret %s is masked', (_, written) => {
  expect(withoutSecrets(`a ${written} b`, ['other', SECRET])).toBe('a •••• b');
});

it('the longest of secrets that begin alike is masked, each as often as it is there', () => {
  expect(withoutSecrets('abcdef abc abcdef', ['abc', '', 'abcdef'])).toBe('•••• •••• ••••');
});

it('a text without a secret stays, with all its escapes', () => {
  const text = '{"a":"\\u00e9\\"%2f&lt;"}  +';
  expect(withoutSecrets(text, ['secret', ''])).toBe(text);
  expect(withoutSecrets('aXb', ['a.b'])).toBe('aXb');
});

it('secrets of escapes alone are masked where they stand as they are, and nothing else is', () => {
  expect(withoutSecrets('a b\\c', ['\\', ' '])).toBe('a b••••c');
});

it('takes no long time for what is made to take long', () => {
  const hostile = ['\\', '%25', '&amp;', '\\u005c', '&#', '%'].map((part) => part.repeat(100_000));
  const secrets = ['\\'.repeat(50) + 'x', '%25'.repeat(50) + 'x'];
  const begin = process.cpuUsage();
  for (const text of hostile) withoutSecrets(text, secrets);
  const { user, system } = process.cpuUsage(begin);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});
