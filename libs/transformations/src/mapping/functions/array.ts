import { JsonText } from '@penstock/schema';
import { destination } from '../expression/destination';
import type { Expression, Sink } from '../expression/expression';
import { AS_JSON } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { JSON_VALUES } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { jsonBudget } from './json-limit';

const JSON_NULL = JsonText.of(null);

/** Checks that each argument converts to the element type, when the destination is an array. */
const checkElements = (
  given: readonly Expression[],
  { destination: type }: Sink<unknown>,
): void => {
  if (type?.kind !== 'array') return;
  const { elementType } = type;
  for (const argument of given) {
    if (argument.literal === null && elementType.kind !== 'json')
      throw new ExpressionFault('null cannot be an element', argument.at);
    argument.into(destination(elementType));
  }
};

/** An array of JSON; null becomes JSON null. */
export const ARRAY: FunctionRow = {
  arity: [0, Infinity],
  compile: (at, ...given) => {
    const elements = given.map((argument) => argument.into(AS_JSON));
    const array = typed(at, JSON_VALUES, (record) => {
      const within = jsonBudget();
      return elements.map((element) => within(element(record) ?? JSON_NULL));
    });
    return {
      ...array,
      into: (sink) => {
        checkElements(given, sink);
        return array.into(sink);
      },
    };
  },
};
