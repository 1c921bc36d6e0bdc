import { checkValue, type Json, JsonSyntaxError, JsonText, parseJson } from '@penstock/schema';
import type { Sink, Take } from '../expression/expression';
import { Fault } from '../expression/fault';
import { typedJson } from '../expression/typed-expression';
import { JSON_VALUE } from '../types/plain-types';
import type { FunctionRow } from './function-row';

const parsed = (text: string): Json => {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Fault(`not JSON: ${error.message}`, text);
  }
};

/**
 * Parses JSON. Characters that no string may contain can only result from escapes, so only texts with escapes are
 * checked.
 */
const parse = (text: string): Json => {
  const json = parsed(text);
  const isSuspect = text.includes('\\u');
  if (isSuspect && checkValue(JSON_VALUE, JsonText.of(json)))
    throw new Fault('NUL and lone surrogates are not allowed', text);
  return json;
};

const fromJson = (json: Json): string | undefined => {
  if (json === null) return undefined;
  if (typeof json === 'string') return json;
  throw new Fault('JSON that is not a string', JsonText.of(json).text);
};

const TAKES: Readonly<Partial<Record<string, Take<string | undefined>>>> = {
  string: (value) => value as string,
  json: (value) => fromJson((value as JsonText).value),
};

const JSON_SOURCE: Sink<string | undefined> = {
  expects: 'a string or json',
  nothing: undefined,
  from: ({ kind }) => TAKES[kind],
  fromJson,
};

export const JSON_PARSE: FunctionRow = {
  arity: [1, 1],
  compile: (at, argument) => {
    const textOf = argument.into(JSON_SOURCE);
    return typedJson(at, (record) => {
      const text = textOf(record);
      return text === undefined ? undefined : parse(text);
    });
  },
};
