import { RecentMessages } from './recent-messages';

const messageOf = (digest: string) => ({ digest, offset: 0 });

it('knows a message until a look-up begins after its commit', () => {
  const recent = new RecentMessages();
  recent.add('a', messageOf('digest'));
  recent.beginLookUp();
  expect(recent.digestOf('a')).toBe('digest');

  const messages = recent.take();
  expect([...messages]).toEqual([['a', messageOf('digest')]]);
  recent.beginLookUp();
  expect(recent.digestOf('a')).toBe('digest');

  recent.confirm(messages);
  expect(recent.digestOf('a')).toBe('digest');

  recent.beginLookUp();
  expect(recent.digestOf('a')).toBeUndefined();
  expect(recent.size).toBe(0);
});

it('keeps the messages of commits after the confirmed one', () => {
  const recent = new RecentMessages();
  recent.add('a', messageOf('first'));
  const first = recent.take();
  recent.add('b', messageOf('second'));
  const second = recent.take();
  recent.add('c', messageOf('third'));
  recent.confirm(first);
  recent.beginLookUp();
  expect(['a', 'b', 'c'].map((hash) => recent.digestOf(hash))).toEqual([
    undefined,
    'second',
    'third',
  ]);
  recent.confirm(second);
  recent.beginLookUp();
  expect(recent.size).toBe(1);
});

it('returns no messages when none were added', () => {
  const recent = new RecentMessages();
  const nothing = recent.take();
  recent.add('a', messageOf('digest'));
  expect(nothing.size).toBe(0);
  expect(recent.take().size).toBe(1);
  expect(recent.take().size).toBe(0);
  expect(recent.size).toBe(1);
});
