import { isRefusal, isUnknownTopic, typesOf } from './kafka-errors';

const protocolError = (type: string): Error => Object.assign(new Error(type), { type });
const wrapped = (cause: unknown): Error => new Error('retries exceeded', { cause });
const aggregate = (...errors: Error[]): Error => Object.assign(new Error('several'), { errors });

it.each([
  [protocolError('MESSAGE_TOO_LARGE'), true],
  [wrapped(protocolError('TOPIC_AUTHORIZATION_FAILED')), true],
  [aggregate(protocolError('INVALID_CONFIG')), true],
  [wrapped(protocolError('NOT_LEADER_FOR_PARTITION')), false],
  [protocolError('NOT_ENOUGH_REPLICAS'), false],
  [new Error('connect ECONNREFUSED'), false],
  ['no error at all', false],
])('%s is a permanent refusal: %s', (error, expected) => {
  expect(isRefusal(error)).toBe(expected);
});

it('recognizes an unknown topic in nested errors', () => {
  expect(isUnknownTopic(wrapped(wrapped(protocolError('UNKNOWN_TOPIC_OR_PARTITION'))))).toBe(true);
  expect(isUnknownTopic(wrapped(new Error('else')))).toBe(false);
});

it('stops at errors that are their own cause', () => {
  const error = protocolError('X');
  error.cause = error;
  expect(typesOf(error)).toContain('X');
});
