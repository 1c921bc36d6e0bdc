import {
  isJsonObject,
  type Json,
  type JsonText,
  type ObjectType,
  type RecordValue,
  type Schema,
  type Type,
  type Value,
  writeJson,
} from '@penstock/schema';
import { ExpressionFault } from '../syntax/expression-fault';
import type { PathNode, Step } from '../syntax/tree';
import type { Evaluate, Expression } from './expression';
import { Fault } from './fault';
import { suggestion } from './suggestion';
import { typed, typedJson } from './typed-expression';

type Get = Evaluate<Value | undefined>;

interface Place {
  readonly type: Type;
  readonly get: Get;
}

const propertyType = ({ properties }: ObjectType, { name, at }: Step): Type => {
  const property = properties.find((candidate) => candidate.name === name);
  if (property) return property.type;
  const names = properties.map((candidate) => candidate.name);
  throw new ExpressionFault(`there is no property "${name}"${suggestion(name, names)}`, at);
};

const memberOf =
  (get: Get, name: string): Get =>
  (record) =>
    (get(record) as RecordValue | null | undefined)?.[name];

const entryOf =
  (get: Get, key: string): Get =>
  (record) =>
    (get(record) as ReadonlyMap<string, Value> | null | undefined)?.get(key);

/** Resolves one step, into an object or a map. */
const enter = ({ type, get }: Place, step: Step): Place => {
  if (type.kind === 'object')
    return { type: propertyType(type, step), get: memberOf(get, step.name) };
  if (type.kind === 'map') return { type: type.elementType, get: entryOf(get, step.name) };
  throw new ExpressionFault(
    `"${step.name}" cannot be looked up in a value of kind ${type.kind}`,
    step.at,
  );
};

const jsonMember = (json: Json, { name, lenient }: Step): Json | undefined => {
  if (isJsonObject(json)) return json.get(name);
  if (lenient) return undefined;
  throw new Fault(`"${name}" is looked up in JSON that is not an object`, writeJson(json));
};

/** Follows steps inside a json value: null after a missing member. */
const intoJson =
  (get: Get, steps: readonly Step[]): Evaluate<Json | undefined> =>
  (record) => {
    const text = get(record) as JsonText | null | undefined;
    if (text === null || text === undefined) return undefined;
    let json: Json | undefined = text.value;
    for (const step of steps) {
      json = jsonMember(json, step);
      if (json === undefined) return undefined;
    }
    return json;
  };

const refuseLenient = ({ lenient, at }: Step): void => {
  if (lenient) throw new ExpressionFault('"?" may follow a step inside a json value only', at);
};

/**
 * Resolves a path against the input schema.
 *
 * @param used receives the property path that it reads, cut at the first json or map property.
 * @throws ExpressionFault
 */
export const path = (
  { at, root, steps }: PathNode,
  input: Schema,
  used: Set<string>,
): Expression => {
  refuseLenient(root);
  let place: Place = { type: propertyType(input, root), get: (record) => record[root.name] };
  const names = [root.name];
  let isCut = false;
  for (const [index, step] of steps.entries()) {
    if (place.type.kind === 'json') {
      used.add(names.join('.'));
      return typedJson(at, intoJson(place.get, steps.slice(index)), true);
    }
    refuseLenient(step);
    isCut ||= place.type.kind === 'map';
    place = enter(place, step);
    if (!isCut) names.push(step.name);
  }
  used.add(names.join('.'));
  return typed(at, place.type, place.get, true);
};
