import type { UserPage } from '@penstock/connectors';
import {
  compileCodec,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
} from '@penstock/schema';
import { FIRST_POSITION } from './user-position';
import { MAX_SET_BYTES, userSet } from './user-set';

const codec = compileCodec(
  parseSchema(parseJson('{"kind":"object","properties":[{"name":"n","type":{"kind":"string"}}]}')),
);
const record = (n: string): RecordValue => Object.assign(newRecord(), { n });
const page = (next: string | null, ...texts: string[]): UserPage => ({
  users: texts.map((n) => ({ id: n, updatedAt: null, values: record(n) })),
  next,
});
const all = { codec, matches: () => true };
const textOf = (n: string): string => `{"n":"${n}"}`;
/** As it stands in a message: quotes are escaped, and it is followed by a comma. */
const FRAME_BYTES = JSON.stringify(textOf('')).length + 1;

it('is the page, and goes on at the next one', () => {
  expect(userSet(page('p2', 'a', 'b'), FIRST_POSITION, all)).toEqual({
    users: [textOf('a'), textOf('b')],
    next: { page: 'p2', offset: 0 },
  });
  expect(userSet(page(null), FIRST_POSITION, all)).toEqual({ users: [], next: null });
});

it('has those that match, from its position on', () => {
  const matches = ({ n }: RecordValue): boolean => n !== 'b';
  const { users } = userSet(
    page(null, 'a', 'b', 'c', 'd'),
    { page: '', offset: 1 },
    {
      codec,
      matches,
    },
  );
  expect(users).toEqual([textOf('c'), textOf('d')]);
});

it.each([
  [MAX_SET_BYTES, 2],
  [MAX_SET_BYTES + 1, 1],
])('of %d bytes has %d users', (bytes, count) => {
  const short = 'x'.repeat(1_000);
  const long = 'x'.repeat(bytes - short.length - 2 * FRAME_BYTES);
  const set = userSet(page('p2', short, long), { page: 'p1', offset: 0 }, all);
  expect(set.users).toHaveLength(count);
  expect(set.next).toEqual(count === 2 ? { page: 'p2', offset: 0 } : { page: 'p1', offset: 1 });
});

it('has one user however long', () => {
  const long = 'x'.repeat(MAX_SET_BYTES);
  const set = userSet(page(null, long, 'a'), FIRST_POSITION, all);
  expect(set).toEqual({ users: [textOf(long)], next: { page: '', offset: 1 } });
});
