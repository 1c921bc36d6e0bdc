import { type Issue, pointer, type Property, resolvePath, type Schema } from '@penstock/schema';
import { suggestion } from './expression/suggestion';

/** Lists every path of a schema, through objects. */
const pathsOf = ({ properties }: Schema, prefix = ''): string[] =>
  properties.flatMap(({ name, type }) => {
    const path = `${prefix}${name}`;
    return type.kind === 'object' ? [path, ...pathsOf(type, `${path}.`)] : [path];
  });

/** Lists the parent objects of a path: `q`, `q.z` for `q.z.w`. */
const parentsOf = (path: string): string[] => {
  const names = path.split('.').slice(0, -1);
  return names.map((_name, index) => names.slice(0, index + 1).join('.'));
};

/** Finds the output property of a mapping's key; returns an issue when the key is wrong. */
export const propertyOf = (
  key: string,
  keys: ReadonlySet<string>,
  output: Schema,
): Property | Issue => {
  const property = resolvePath(output, key);
  const path = pointer(key);
  if (!property) {
    const meant = suggestion(key, pathsOf(output));
    return { path, message: `the output schema has no property "${key}"${meant}` };
  }
  const parent = parentsOf(key).find((candidate) => keys.has(candidate));
  return parent === undefined
    ? property
    : { path, message: `"${parent}", in which "${key}" lies, has an expression of its own` };
};

/**
 * Lists the properties of the output schema that no key of a mapping sets. For an object that is set in part, its
 * remaining properties are listed.
 */
export const unmappedProperties = (
  mapping: ReadonlyMap<string, string>,
  output: Schema,
): string[] => {
  const partly = new Set([...mapping.keys()].flatMap(parentsOf));
  const unmapped = ({ properties }: Schema, prefix: string): string[] =>
    properties.flatMap(({ name, type }) => {
      const path = `${prefix}${name}`;
      if (mapping.has(path)) return [];
      return type.kind === 'object' && partly.has(path) ? unmapped(type, `${path}.`) : [path];
    });
  return unmapped(output, '');
};
