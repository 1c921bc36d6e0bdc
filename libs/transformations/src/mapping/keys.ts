import { type Issue, pointer, type Property, resolvePath, type Schema } from '@penstock/schema';
import { suggestion } from './expression/suggestion';

/** Every path of a schema, through objects. */
const pathsOf = ({ properties }: Schema, prefix = ''): string[] =>
  properties.flatMap(({ name, type }) => {
    const path = `${prefix}${name}`;
    return type.kind === 'object' ? [path, ...pathsOf(type, `${path}.`)] : [path];
  });

/** The paths of the objects that a path lies in: `q`, `q.z` for `q.z.w`. */
const parentsOf = (path: string): string[] => {
  const names = path.split('.').slice(0, -1);
  return names.map((_name, index) => names.slice(0, index + 1).join('.'));
};

/** The output property that a mapping's key names, or what is wrong with the key. */
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
 * The properties of the output schema that no key of a mapping gives: of an object that some keys give parts
 * of, those parts that are left.
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
