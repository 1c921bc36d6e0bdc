import { SealBroken } from './cipher';
import { constantTimeEqual, SecretBox } from './secret-box';

const SECRET = 'a secret of at least 32 characters';
const box = new SecretBox(SECRET);
const other = new SecretBox(`${SECRET}!`);

describe('sealing', () => {
  it.each(['', 'p4ssw0rd', '{"key":"wärme 🔥"}', 'x'.repeat(100_000)])(
    'opens what it sealed',
    (plain) => {
      expect(new SecretBox(SECRET).open(box.seal(plain, 'connection/1'), 'connection/1')).toBe(
        plain,
      );
    },
  );

  it('gives another text each time, which does not hold the plain one', () => {
    const [one, two] = [box.seal('p4ssw0rd', 'c'), box.seal('p4ssw0rd', 'c')];
    expect(one).toMatch(/^v1:[\w-]+$/);
    expect(one).not.toBe(two);
    expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('p4ssw0rd');
  });

  it('opens for its own context and secret only', () => {
    const sealed = box.seal('p4ssw0rd', 'connection/1');
    expect(() => box.open(sealed, 'connection/2')).toThrow(SealBroken);
    expect(() => other.open(sealed, 'connection/1')).toThrow(SealBroken);
  });

  it('notices a change of any one byte', () => {
    const bytes = Buffer.from(box.seal('p4ss', 'c').slice(3), 'base64url');
    const changed = [...bytes.keys()].map((index) => {
      const copy = Buffer.from(bytes);
      copy[index] = (copy[index] ?? 0) ^ 1;
      return `v1:${copy.toString('base64url')}`;
    });
    expect(changed).toHaveLength(32);
    for (const text of changed) expect(() => box.open(text, 'c')).toThrow(SealBroken);
  });

  it.each(['', 'v1:', 'v2:AAAA', 'p4ssw0rd', `v1:${'A'.repeat(36)}`])('refuses %j', (text) => {
    expect(() => box.open(text, 'c')).toThrow(SealBroken);
  });
});

describe('a keyed hash', () => {
  it('is the same for the same text and secret only', () => {
    expect(box.keyedHash('pk_1')).toMatch(/^[\w-]{43}$/);
    expect(new SecretBox(SECRET).keyedHash('pk_1')).toBe(box.keyedHash('pk_1'));
    expect(box.keyedHash('pk_2')).not.toBe(box.keyedHash('pk_1'));
    expect(other.keyedHash('pk_1')).not.toBe(box.keyedHash('pk_1'));
  });
});

/** Stored values outlive releases: a change here needs a new version letter and a way to read the old one. */
it('reads and makes what earlier releases stored', () => {
  const stored = 'v1:ALpz6cKVXgZt61Bfm9L8oY6mTuF1hm1ipzVr7P2Ru-E';
  expect(box.open(stored, 'connection/1')).toBe('kept');
  expect(box.keyedHash('pk_1')).toBe('S-EbVW4aiJwjs3eypuAnWWBgj0aOERiyr7p0eFwf0co');
});

it('takes a secret of 32 characters and none shorter', () => {
  expect(() => new SecretBox('x'.repeat(31))).toThrow(RangeError);
  expect(() => new SecretBox('x'.repeat(32))).not.toThrow();
});

it.each([
  ['key', 'key', true],
  ['key', 'kez', false],
  ['key', 'keys', false],
  ['é', 'e', false],
  ['', '', true],
])('%j equals %j: %s', (one, two, expected) => expect(constantTimeEqual(one, two)).toBe(expected));
