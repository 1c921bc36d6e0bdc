import type { UserPage } from '@penstock/connectors';
import {
  compileCodec,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
} from '@penstock/schema';
import { MAX_SEALED_BYTES } from '../read-model/fitting';
import { FIRST_POSITION } from './user-position';
import { userSet } from './user-set';

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

it('contains the page, and continues on the next one', () => {
  expect(userSet(page('p2', 'a', 'b'), FIRST_POSITION, all)).toEqual({
    users: [textOf('a'), textOf('b')],
    next: { page: 'p2', offset: 0 },
  });
  expect(userSet(page(null), FIRST_POSITION, all)).toEqual({ users: [], next: null });
});

it('contains the users that match, from its position on', () => {
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

it('continues within the page where an answer is full', () => {
  const long = 'x'.repeat(MAX_SEALED_BYTES / 2);
  const set = userSet(page('p2', 'a', long, long, 'b'), { page: 'p1', offset: 1 }, all);
  expect(set).toEqual({ users: [textOf(long)], next: { page: 'p1', offset: 2 } });
  expect(userSet(page('p2', 'a', long, long, 'b'), { page: 'p1', offset: 2 }, all)).toEqual({
    users: [textOf(long), textOf('b')],
    next: { page: 'p2', offset: 0 },
  });
});
