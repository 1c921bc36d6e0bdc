import type { Schema } from '@penstock/schema';
import { concatenation } from './expression/concatenation';
import type { Expression } from './expression/expression';
import { literal } from './expression/literal';
import { path } from './expression/path';
import { suggestion } from './expression/suggestion';
import { FUNCTIONS } from './functions/functions';
import { ExpressionFault } from './syntax/expression-fault';
import type { CallNode, Node } from './syntax/tree';

const countText = ([least, most]: readonly [number, number]): string => {
  if (least === most) return `${least}`;
  return most === Infinity ? `${least} or more` : `${least} to ${most}`;
};

const call = ({ at, name, arguments: nodes }: CallNode, resolve: Resolve): Expression => {
  const row = FUNCTIONS.get(name);
  if (!row) {
    const meant = suggestion(name, FUNCTIONS.keys());
    throw new ExpressionFault(`there is no function "${name}"${meant}`, at);
  }
  const [least, most] = row.arity;
  if (nodes.length < least || nodes.length > most)
    throw new ExpressionFault(
      `${name} takes ${countText(row.arity)} arguments, not ${nodes.length}`,
      at,
    );
  return row.compile(at, ...nodes.map(resolve));
};

type Resolve = (node: Node) => Expression;

/**
 * Resolves the names in an expression.
 *
 * @param used receives the property paths that the expression reads, cut at the first json or map property.
 * @throws ExpressionFault at the first name, argument or kind that is wrong.
 */
export const analyse = (tree: Node, input: Schema, used: Set<string>): Expression => {
  const resolve: Resolve = (node) => {
    switch (node.kind) {
      case 'literal':
        return literal(node.at, node.type, node.value);
      case 'path':
        return path(node, input, used);
      case 'call':
        return call(node, resolve);
      case 'concatenation':
        return concatenation(node.at, node.parts.map(resolve));
    }
  };
  return resolve(tree);
};
