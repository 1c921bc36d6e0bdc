import { v5 } from 'uuid';
import { DerivedIds } from './derived-id';

const NS_OID = '6ba7b812-9dad-11d1-80b4-00c04fd430c8';

it.each(['u', 'Ada', 'émile', '用户', ' ', 'x'.repeat(10_000)])(
  'derives from %j the UUID of RFC 9562',
  (userId) => {
    const expected = v5(userId, v5('connection-1', NS_OID));
    const ids = new DerivedIds('connection-1');
    expect(ids.of(userId)).toBe(expected);
    expect(ids.of(userId)).toBe(expected);
  },
);

it('differs between sources', () => {
  expect(new DerivedIds('a').of('u')).not.toBe(new DerivedIds('b').of('u'));
});
