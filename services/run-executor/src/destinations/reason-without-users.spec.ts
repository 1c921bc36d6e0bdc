import type { OutgoingUser, UpsertResult } from '@penstock/connectors';
import { newRecord, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { answerWithoutValues, reasonWithoutUsers } from './reason-without-users';

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

const NAMES = new Set(['email', 'address', 'city']);

const cleaned = (result: UpsertResult) => reasonWithoutUsers(result, USERS, SCHEMA, NAMES);

const reasons = (...given: readonly string[]) => {
  const result = cleaned({
    kind: 'answered',
    outcomes: given.map((reason) => ({ kind: 'rejected', reason })),
  });
  if (result.kind !== 'answered') throw new Error('nothing was answered');
  return result.outcomes.map((outcome) => outcome.kind === 'rejected' && outcome.reason);
};

it('of what is refused for one user, its values and its id are left out, also inside objects', () => {
  const outcomes = [
    { kind: 'rejected', reason: 'ada@example.com of London is in use' },
    { kind: 'rejected', reason: 'u-4711: email "bob" is not valid' },
    { kind: 'written', id: 'u' },
  ] as const;
  expect(cleaned({ kind: 'answered', outcomes })).toEqual({
    kind: 'answered',
    outcomes: [
      { kind: 'rejected', reason: '… of … is in use' },
      { kind: 'rejected', reason: '… email … is not valid' },
      { kind: 'written', id: 'u' },
    ],
  });
});

it('of what is refused for a request, the values of all of its users are', () => {
  const failure = { kind: 'rejected', taken: 2, executed: 'no', status: 400 } as const;
  const reason = 'answered 400: bob@example.com or London of u-4711';
  expect(cleaned({ ...failure, reason })).toEqual({
    ...failure,
    reason: 'answered 400: … or … of …',
  });
});

it('the status of an answer stays, whatever values are, and what only looks like one goes', () => {
  const status = 400;
  const outcomes = [{ kind: 'rejected', reason: 'answered 400: 400 is in use', status }] as const;
  expect(cleaned({ kind: 'answered', outcomes })).toEqual({
    kind: 'answered',
    outcomes: [{ kind: 'rejected', reason: 'answered 400: … is in use', status }],
  });
  expect(reasons('answered 400: no')).toEqual(['… no']);
});

it('it is told that there are no words to be told', () => {
  expect(reasons('Ada Lovelace')).toEqual(['refused in words that may be values']);
  const failure = { kind: 'unavailable', taken: 1, executed: 'no', status: 503 } as const;
  expect(cleaned({ ...failure, reason: 'answered 503: ?' })).toMatchObject({
    reason: 'answered 503',
  });
});

it('without an answer the words of the connector are told', () => {
  const failure = { kind: 'unavailable', taken: 1, executed: 'no' } as const;
  const reason = 'no answer within 30 s';
  expect(cleaned({ ...failure, reason })).toEqual({ ...failure, reason });
});

it('what is refused of a look-up has none of the values that are looked up', () => {
  const answer = {
    kind: 'rejected',
    status: 400,
    reason: 'answered 400: any(email,["ada@x.org"])',
  };
  expect(answerWithoutValues(answer as never, ['ada@x.org'], NAMES)).toEqual({
    ...answer,
    reason: 'answered 400: any email …',
  });
});
