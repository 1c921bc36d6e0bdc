import { JsonNumber, type JsonObject } from '@penstock/schema';
import { type Form, integer, list, members, readNumber, readText, word } from '@penstock/settings';

export type DummyOperation = 'read' | 'upsert' | 'send';

/** Calls that fail on purpose. */
export interface SimulatedFailure {
  readonly operation: DummyOperation;
  /** The first call that fails, counted from 1. */
  readonly at: number;
  /** How many calls in a row fail. */
  readonly times: number;
  /** An HTTP status from 400 to 599, no answer in time, or an unexpected error. */
  readonly status: number | 'timeout' | 'throw';
}

const MAX_FAILURES = 1_000;
const MAX_COUNT = 2_147_483_647;

const httpStatus = integer(400, 599);

const status: Form = {
  type: { kind: 'json' },
  secret: false,
  check: (json, path, issues) => {
    if (json instanceof JsonNumber) return httpStatus.check(json, path, issues);
    if (json !== 'timeout' && json !== 'throw')
      issues.push({ path, message: 'must be 400 to 599, timeout or throw' });
    return json;
  },
  mapSecrets: (json) => json,
};

export const failuresForm = list(
  members(
    {
      name: 'operation',
      form: word('read', 'upsert', 'send'),
      description: 'What is called.',
      required: true,
    },
    {
      name: 'at',
      form: integer(1, MAX_COUNT),
      description: 'Number of the first call that fails, from 1.',
      required: true,
    },
    {
      name: 'times',
      form: integer(1, MAX_COUNT),
      description: 'How many calls in a row fail.',
      required: true,
    },
    {
      name: 'status',
      form: status,
      description: 'An HTTP status from 400 to 599, timeout, or throw.',
      required: true,
    },
  ),
  MAX_FAILURES,
);

/** @param failure an element that has been checked. */
export const readFailure = (failure: JsonObject): SimulatedFailure => ({
  operation: readText(failure, 'operation') as DummyOperation,
  at: readNumber(failure, 'at'),
  times: readNumber(failure, 'times'),
  status:
    failure.get('status') instanceof JsonNumber
      ? readNumber(failure, 'status')
      : (readText(failure, 'status') as 'timeout' | 'throw'),
});
