import { isSecretName, redact, redactText } from './redact';

describe('member names', () => {
  it.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'Set-Cookie',
    'password',
    'KAFKA_SASL_PASSWORD',
    'apiKey',
    'x-api-key',
    'writeKey',
    'write_key',
    'token',
    'accessToken',
    'secret',
    'signingSecret',
    'PENSTOCK_SECRET',
    'PENSTOCK_BOOTSTRAP_KEY',
    'secretAccessKey',
  ])('%s is secret', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['key', 'messageId', 'passwordless', 'tokens', 'secretary', 'keyCount'])(
    '%s is not',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('values', () => {
  class Settings {
    readonly url = 'https://a';
    readonly apiKey = 'hush';
  }

  it.each([
    [{ a: { b: [{ token: 'hush', c: 1 }] } }, { a: { b: [{ token: '[redacted]', c: 1 }] } }],
    [
      { secret: null, password: undefined },
      { secret: null, password: undefined },
    ],
    [{ secret: { nested: 'hush' } }, { secret: '[redacted]' }],
    [{ settings: new Settings() }, { settings: { url: 'https://a', apiKey: '[redacted]' } }],
    [{ at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['text', 'text'],
  ])('%j is shown as %j', (value, shown) => expect(redact(value)).toEqual(shown));

  it('shows an error with its own members masked', () => {
    const error = Object.assign(new Error('failed'), { code: 'E1', token: 'hush' });
    expect(redact({ err: error })).toMatchObject({
      err: { type: 'Error', message: 'failed', code: 'E1', token: '[redacted]' },
    });
  });

  it('ends on a value that holds itself', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(JSON.stringify(redact(loop))).toContain('[deep]');
  });
});

describe('running text', () => {
  it.each([
    ['to postgres://u:hush@db:5432/n failed', 'to postgres://u:[redacted]@db:5432/n failed'],
    ['redis://:hush@h', 'redis://:[redacted]@h'],
    ['postgres://u:hu@sh@db/n', 'postgres://u:[redacted]@db/n'],
    [`key pk_${'a'.repeat(40)}.`, 'key pk_[redacted].'],
    ['Bearer abcdefghijklmnop', 'Bearer [redacted]'],
  ])('%j is shown as %j', (text, shown) => expect(redactText(text)).toBe(shown));

  it.each(['http://127.0.0.1:8080/a@b', 'a: b@c', 'Basic authentication', 'pk_short'])(
    '%j stays',
    (text) => expect(redactText(text)).toBe(text),
  );
});
