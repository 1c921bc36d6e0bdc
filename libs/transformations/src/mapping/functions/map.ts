import { JsonText } from '@penstock/schema';
import type { Evaluate, Expression } from '../expression/expression';
import { AS_JSON } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { JSON_MAP } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { jsonBudget } from './json-limit';

interface Entry {
  readonly key: string;
  readonly value: Evaluate<JsonText | null>;
  /** Replaces null; undefined leaves the entry out. */
  readonly none: JsonText | undefined;
}

const JSON_NULL = JsonText.of(null);

const entry = (key: Expression, value: Expression): Entry => {
  if (typeof key.literal !== 'string' || key.types[0]?.kind !== 'string')
    throw new ExpressionFault('a key is a string in quotes', key.at);
  return {
    key: key.literal,
    value: value.into(AS_JSON),
    none: value.isPath ? undefined : JSON_NULL,
  };
};

const entriesOf = (at: number, given: readonly Expression[]): Entry[] => {
  const entries = new Map<string, Entry>();
  for (let index = 0; index < given.length; index += 2) {
    const [key, value] = given.slice(index, index + 2);
    if (!key || !value) throw new ExpressionFault('the last key has no value', at);
    const next = entry(key, value);
    if (entries.has(next.key))
      throw new ExpressionFault(`the key ${JSON.stringify(next.key)} is repeated`, key.at);
    entries.set(next.key, next);
  }
  return [...entries.values()];
};

/** A map of JSON; an entry whose value is a path is left out when that is null, any other null becomes JSON null. */
export const MAP: FunctionRow = {
  arity: [0, Infinity],
  compile: (at, ...given) => {
    const entries = entriesOf(at, given);
    return typed(at, JSON_MAP, (record) => {
      const within = jsonBudget();
      const made = new Map<string, JsonText>();
      for (const { key, value, none } of entries) {
        const json = value(record) ?? none;
        if (json) made.set(key, within(json));
      }
      return made;
    });
  },
};
