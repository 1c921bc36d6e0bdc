import type { ObjectType, Property, Schema } from '@penstock/schema';

/** Selects the part of a schema on the paths: what a function may read, or may return. */
export const selected = (schema: Schema, paths: readonly string[]): ObjectType => {
  const complete = new Set(paths.filter((path) => !path.includes('.')));
  const inside = new Map<string, string[]>();
  for (const path of paths) {
    const dot = path.indexOf('.');
    if (dot < 0) continue;
    const name = path.slice(0, dot);
    inside.set(name, [...(inside.get(name) ?? []), path.slice(dot + 1)]);
  }
  const select = (property: Property): readonly Property[] => {
    if (complete.has(property.name)) return [property];
    const below = inside.get(property.name);
    if (!below || property.type.kind !== 'object') return [];
    return [{ ...property, type: selected(property.type, below) }];
  };
  return { kind: 'object', properties: schema.properties.flatMap(select) };
};
