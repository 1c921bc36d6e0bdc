import type { DataKey, WorkspaceId } from '@penstock/contracts';
import { SealBroken } from './cipher';
import { KeyErased, newDataKey, Seals } from './seals';
import { SecretBox } from './secret-box';

const secrets = new SecretBox('a secret of at least 32 characters');
const [ONE, OTHER] = ['workspace0000001', 'workspace0000002'] as WorkspaceId[] as [
  WorkspaceId,
  WorkspaceId,
];

const sealsOf = (...keys: readonly DataKey[]): Seals =>
  new Seals(secrets, (workspace) => keys.find((key) => key.workspace === workspace));

const [key, otherKey] = [newDataKey(secrets, ONE), newDataKey(secrets, OTHER)];
const seals = sealsOf(key, otherKey);

it.each(['', 'p4ssw0rd', '{"key":"wärme 🔥"}', 'x'.repeat(100_000)])(
  'opens what it sealed',
  (plain) => {
    const sealed = seals.seal(plain, ONE);
    expect(sealed).toMatch(new RegExp(`^v2:${key.id}:[\\w-]+$`));
    expect(sealsOf(key).open(sealed, ONE)).toBe(plain);
  },
);

it('gives another text each time, which does not hold the plain one', () => {
  const [one, two] = [seals.seal('p4ssw0rd', ONE), seals.seal('p4ssw0rd', ONE)];
  expect(one).not.toBe(two);
  const [, , text = ''] = one.split(':');
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('p4ssw0rd');
});

it('opens for its own workspace and context only', () => {
  const sealed = seals.seal('p4ss', ONE, 'request-1');
  expect(seals.open(sealed, ONE, 'request-1')).toBe('p4ss');
  expect(() => seals.open(sealed, ONE)).toThrow(SealBroken);
  expect(() => seals.open(sealed, OTHER, 'request-1')).toThrow(KeyErased);
});

it.each(['', 'v2:', 'v2:AAAA', 'v3:a:AAAA', 'p4ssw0rd', `v2:${key.id}:AAAA`])(
  'refuses %j',
  (text) => {
    expect(() => seals.open(text, ONE)).toThrow(SealBroken);
    expect(() => seals.open(text, ONE)).not.toThrow(KeyErased);
  },
);

it('notices a change of the last byte', () => {
  const sealed = seals.seal('p4ss', ONE);
  const changed = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + (sealed.at(-1) ?? '');
  expect(() => seals.open(changed, ONE)).toThrow(SealBroken);
});

describe('when the key is erased', () => {
  const erased = sealsOf(otherKey);

  it('nothing can be opened or sealed, though the secret is known', () => {
    const sealed = seals.seal('p4ss', ONE);
    expect(() => erased.open(sealed, ONE)).toThrow(KeyErased);
    expect(() => erased.seal('p4ss', ONE)).toThrow(KeyErased);
    expect(() => secrets.open(sealed, ONE)).toThrow(SealBroken);
  });

  it('nor under another key of the same workspace', () => {
    const sealed = seals.seal('p4ss', ONE);
    expect(() => sealsOf(newDataKey(secrets, ONE)).open(sealed, ONE)).toThrow(KeyErased);
  });

  it('what was sealed before there were data keys still opens', () => {
    expect(erased.open(secrets.seal('p4ss', ONE), ONE)).toBe('p4ss');
  });
});

describe('what is kept for ever', () => {
  it('is under the key of the workspace, and stays as it is when it was', () => {
    const kept = seals.kept(secrets.seal('p4ss', ONE), ONE);
    expect(kept).toMatch(/^v2:/);
    expect(seals.open(kept, ONE)).toBe('p4ss');
    expect(seals.kept(kept, ONE)).toBe(kept);
  });

  it('can be opened', () => {
    expect(() => seals.kept('p4ss', ONE)).toThrow(SealBroken);
    expect(() => seals.kept(sealsOf(newDataKey(secrets, ONE)).seal('p4ss', ONE), ONE)).toThrow(
      KeyErased,
    );
  });
});

describe('a data key', () => {
  it('is wrapped: it opens with the secret, its id and its workspace only', () => {
    const sealed = seals.seal('p4ss', ONE);
    const wrong = [
      { ...key, wrapped: otherKey.wrapped },
      { ...key, wrapped: secrets.seal('x', 'y') },
      { ...key, wrapped: 'v1:AAAA' },
    ];
    for (const each of wrong) expect(() => sealsOf(each).open(sealed, ONE)).toThrow(SealBroken);
    const stranger = new Seals(new SecretBox('x'.repeat(32)), () => key);
    expect(() => stranger.open(sealed, ONE)).toThrow(SealBroken);
  });

  it('is another one each time', () => {
    expect(newDataKey(secrets, ONE)).not.toEqual(newDataKey(secrets, ONE));
    expect(key).toEqual({
      id: key.id,
      workspace: ONE,
      wrapped: expect.stringMatching(/^v1:[\w-]+$/) as unknown,
    });
  });
});

/** Stored values outlive releases: a change here needs a new version letter and a way to read the old one. */
it('reads what earlier releases stored', () => {
  const stored: DataKey = {
    id: '0mi8wdgdk1l2m3n4o5p6',
    workspace: '0mi8wdg5c3x1k7q9a2b4' as WorkspaceId,
    wrapped:
      'v1:_JSjYB5vWU4u76hklk1WFkStaZVSST3ncEs3zlAuUOTvmJ_pbYgqeWrPsfibJk42Hs_GWGEaVV7h6bkGY6vx7Lw2FQ_siCI',
  };
  const settings =
    'v2:0mi8wdgdk1l2m3n4o5p6:wbqeToT9AvSsk8Y_JrJtCUBnNtAfCASd1-ljo00HuXiMdPO7mMQ_X5k';
  expect(sealsOf(stored).open(settings, stored.workspace)).toBe('{"kept":true}');
});
