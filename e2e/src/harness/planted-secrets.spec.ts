import { PlantedSecrets } from './planted-secrets';

const secrets = new PlantedSecrets();
const secret = secrets.plant('planted');
secrets.plant('another');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

it.each([
  ['as it is', secret],
  ['in a URL', encodeURIComponent(secret)],
  ['in JSON', JSON.stringify({ secret })],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ secret }))],
  ['in base64', base64(secret)],
  ['in base64 with a user', base64(`u:${secret}`)],
  ['in base64 with another user', base64(`us:${secret}:`)],
  ['in base64 of URLs', Buffer.from(`?${secret}`).toString('base64url')],
  ['in hex', Buffer.from(secret).toString('hex')],
  ['in upper-case hex', Buffer.from(secret).toString('hex').toUpperCase()],
])('finds a secret %s', (_, written) => {
  expect(secrets.in(`before ${written} after`)).toEqual(['planted']);
  expect(secrets.inPlaces([['here', `before ${written} after`]])).toEqual(['planted in here']);
});

it('finds none in a text without secrets', () => {
  expect(secrets.in(`before ${secret.slice(0, -12)} after ••••-end`)).toEqual([]);
});
