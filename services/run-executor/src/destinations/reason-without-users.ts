import type { OutgoingUser, UpsertResult } from '@penstock/connectors';
import {
  newRecord,
  type Property,
  type RecordValue,
  type Schema,
  type Value,
} from '@penstock/schema';
import { reasonWithoutValues } from './reason-without-values';

/** The leaves of a record, by their paths. */
const leavesOf = (
  record: RecordValue,
  { properties }: Schema,
  prefix = '',
): readonly (readonly [Property, Value])[] =>
  properties.flatMap((property) => {
    const value = record[property.name];
    if (value === undefined || value === null) return [];
    const name = `${prefix}${property.name}`;
    return property.type.kind === 'object'
      ? leavesOf(value as RecordValue, property.type, `${name}.`)
      : [[{ ...property, name }, value] as const];
  });

const without = (reason: string, { id, values }: OutgoingUser, schema: Schema): string => {
  const leaves = leavesOf(values, schema);
  const flat = Object.assign(
    newRecord(),
    Object.fromEntries(leaves.map(([{ name }, value]) => [name, value])),
  );
  const properties = leaves.map(([property]) => property);
  const text = reasonWithoutValues(reason, [flat], { kind: 'object', properties }, []);
  return id === null ? text : text.replaceAll(id, '…');
};

/** What an application answers, without the values of users that its reasons repeat. */
export const reasonWithoutUsers = (
  result: UpsertResult,
  users: readonly OutgoingUser[],
  schema: Schema,
): UpsertResult => {
  if (result.kind !== 'answered') {
    const reason = users
      .slice(0, result.taken)
      .reduce((text, user) => without(text, user, schema), result.reason);
    return { ...result, reason };
  }
  const outcomes = result.outcomes.map((outcome, index) => {
    const user = users[index];
    return outcome.kind === 'written' || user === undefined
      ? outcome
      : { ...outcome, reason: without(outcome.reason, user, schema) };
  });
  return { kind: 'answered', outcomes };
};
