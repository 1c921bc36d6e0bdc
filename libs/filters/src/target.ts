import { nearestName, type Property, type Schema } from '@penstock/schema';

/** What a condition's path leads to. */
export interface Target {
  readonly property: Property;
  /** Names from the root of the schema to the property. */
  readonly steps: readonly string[];
  /** Further names, of members inside the JSON value. Only of a property of kind json. */
  readonly inside: readonly string[];
}

const noSuchProperty = (path: string, name: string, names: readonly string[]): string => {
  const near = nearestName(name, names);
  return `there is no property "${path}"${near === undefined ? '' : `: did you mean "${near}"?`}`;
};

/**
 * Follows a path through the objects of a schema, and on into JSON.
 *
 * @param path by the syntax of property paths.
 * @returns a message when it leads nowhere.
 */
export const locate = (schema: Schema, path: string): Target | string => {
  const names = path.split('.');
  let properties = schema.properties;
  for (const [index, name] of names.entries()) {
    const upTo = names.slice(0, index + 1);
    const property = properties.find((candidate) => candidate.name === name);
    if (property === undefined)
      return noSuchProperty(
        upTo.join('.'),
        name,
        properties.map((candidate) => candidate.name),
      );
    const inside = names.slice(index + 1);
    const { type } = property;
    if (type.kind === 'json' || inside.length === 0) return { property, steps: upTo, inside };
    if (type.kind !== 'object')
      return `"${upTo.join('.')}" is of kind ${type.kind}: a path goes on through object and json only`;
    properties = type.properties;
  }
  return noSuchProperty(path, path, []);
};
