import { type Issue, Invalid } from '../issue';
import type { Json } from '../json';
import type { Type } from '../type';
import type { Value } from '../value';
import { codecOf, type DecodeOptions } from './codec-of';
import { Fault } from './fault';

/**
 * The value of a type that a JSON value stands for.
 *
 * @throws Invalid with every issue (the first thousand), located by JSON pointers from the root of `json`.
 */
export const decodeValue = (type: Type, json: Json, options?: DecodeOptions): Value => {
  const value = codecOf(type, options).decode(json);
  if (value instanceof Fault) throw new Invalid(value.issues);
  return value;
};

/**
 * What a value in memory has against a type: its form, its constraints, members that the type does not know,
 * nulls where none may be. Which members must be there depends on the purpose and is not looked at.
 *
 * @returns undefined when all is well.
 */
export const checkValue = (type: Type, value: Value): readonly Issue[] | undefined =>
  codecOf(type).check(value)?.issues;

/**
 * The JSON text of a value.
 *
 * @throws Invalid where {@link checkValue} finds an issue.
 */
export const encodeValue = (type: Type, value: Value): string =>
  codecOf(type).encode(checked(type, value));

/**
 * "The text of a value": its written form without JSON quotes.
 *
 * @param value of the type; not checked.
 */
export const textOf = (type: Type, value: Value): string => codecOf(type).text(value);

/**
 * A value as JSON.
 *
 * @param value of the type; not checked.
 */
export const valueToJson = (type: Type, value: Value): Json => codecOf(type).toJson(value);

const checked = (type: Type, value: Value): Value => {
  const issues = checkValue(type, value);
  if (issues) throw new Invalid(issues);
  return value;
};
