import type { Schema } from '@penstock/schema';

/** A property that is no object. */
export interface Leaf {
  /** Names joined by dots. */
  readonly path: string;
  /** JSON pointer in the notation of the schema. */
  readonly pointer: string;
}

/** The leaves of a schema, through objects. */
const leavesOf = ({ properties }: Schema, prefix = '', at = ''): Leaf[] =>
  properties.flatMap(({ name, type }, index) => {
    const [path, pointer] = [`${prefix}${name}`, `${at}/properties/${String(index)}`];
    return type.kind === 'object'
      ? leavesOf(type, `${path}.`, `${pointer}/type`)
      : [{ path, pointer }];
  });

/** The paths of the objects that a path lies in: `q`, `q.z` for `q.z.w`. */
export const parentsOf = (path: string): string[] => {
  const names = path.split('.').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
};

/** The leaves that none of the paths names, neither themselves nor by an object that they lie in. */
export const leavesBeside = (schema: Schema, paths: readonly string[]): Leaf[] => {
  const named = new Set(paths);
  return leavesOf(schema).filter(
    ({ path }) => !named.has(path) && !parentsOf(path).some((parent) => named.has(parent)),
  );
};
