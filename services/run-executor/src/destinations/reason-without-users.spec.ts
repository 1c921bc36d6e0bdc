import type { OutgoingUser, UpsertResult } from '@penstock/connectors';
import { newRecord, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { reasonWithoutUsers } from './reason-without-users';

const text = { kind: 'string' };
const SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'email', type: text },
        {
          name: 'address',
          type: { kind: 'object', properties: [{ name: 'city', type: text, nullable: true }] },
        },
      ],
    }),
  ),
);

const record = (members: object): RecordValue => Object.assign(newRecord(), members);

const user = (id: string | null, email: string, city: string | null): OutgoingUser => ({
  ...{ id, idempotencyKey: 'key' },
  values: record({ email, address: record({ city }) }),
});

const USERS = [user(null, 'ada@example.com', 'London'), user('u-4711', 'bob@example.com', null)];

const cleaned = (result: UpsertResult) => reasonWithoutUsers(result, USERS, SCHEMA);

it('of what is refused for one user, its values and its id are left out, also inside objects', () => {
  const outcomes = [
    { kind: 'rejected', reason: 'ada@example.com of London is in use' },
    { kind: 'rejected', reason: 'u-4711: email "bob" is bad' },
    { kind: 'written', id: 'u' },
  ] as const;
  expect(cleaned({ kind: 'answered', outcomes })).toEqual({
    kind: 'answered',
    outcomes: [
      { kind: 'rejected', reason: '… of … is in use' },
      { kind: 'rejected', reason: '…: email …' },
      { kind: 'written', id: 'u' },
    ],
  });
});

it('of what is refused for a request, the values of all of its users are', () => {
  const failure = { kind: 'rejected', taken: 2, executed: 'no', status: 400 } as const;
  expect(cleaned({ ...failure, reason: 'bob@example.com or London of u-4711' })).toEqual({
    ...failure,
    reason: '… or … of …',
  });
});
