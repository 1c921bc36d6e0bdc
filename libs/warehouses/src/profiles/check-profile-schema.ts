import type { Issue, Property, Schema, Type } from '@penstock/schema';

/** Source: the specification of the warehouse, "Profile schema"; a table of PostgreSQL takes 1,600 columns. */
export const MAX_PROFILE_COLUMNS = 1_000;

/** The longest name of a column in PostgreSQL. */
const MAX_NAME_BYTES = 63;

/** A property whose values are in a column of their own, and where it stands. */
export interface Leaf {
  /** Names joined by dots. */
  readonly path: string;
  /** Names joined by `_`. */
  readonly column: string;
  readonly type: Type;
  /** JSON pointer to the property in the schema. */
  readonly pointer: string;
}

const placed = (
  { name, type }: Property,
  index: number,
  at: readonly string[],
  pointer: string,
): Leaf[] => {
  const names = [...at, name];
  const own = `${pointer}/properties/${String(index)}`;
  if (type.kind === 'object') return leavesAt(type, names, `${own}/type`);
  return [{ path: names.join('.'), column: names.join('_'), type, pointer: own }];
};

const leavesAt = ({ properties }: Schema, at: readonly string[], pointer: string): Leaf[] =>
  properties.flatMap((property, index) => placed(property, index, at, pointer));

/** The leaves of a profile schema, in its order. Only objects are flattened. */
export const leavesOf = (schema: Schema): readonly Leaf[] => leavesAt(schema, [], '');

const MAX_ELEMENTS = 2_147_483_647;

const NOT_ELEMENTS: readonly string[] = ['array', 'map', 'object'];

/** What is wrong with a type, each with the step from it to the place. */
const faultsOf = (type: Type): readonly Issue[] => {
  if (type.kind === 'string')
    return (['values', 'pattern'] as const)
      .filter((key) => type[key] !== undefined)
      .map((key) => ({ path: `/${key}`, message: `profiles have no texts with ${key}` }));
  if (type.kind !== 'array' && type.kind !== 'map') return [];
  const { kind, elementType } = type;
  const elements = NOT_ELEMENTS.includes(elementType.kind)
    ? [{ path: '/elementType', message: `elements must not be of kind ${elementType.kind} here` }]
    : faultsOf(elementType).map((fault) => ({ ...fault, path: `/elementType${fault.path}` }));
  if (kind === 'map') return elements;
  const { minElements, maxElements, uniqueElements } = type;
  const limited = [
    ...(minElements > 0 ? ['minElements'] : []),
    ...(maxElements < MAX_ELEMENTS ? ['maxElements'] : []),
    ...(uniqueElements ? ['uniqueElements'] : []),
  ];
  const message = 'arrays of profiles have no limits';
  return [...elements, ...limited.map((key) => ({ path: `/${key}`, message }))];
};

const typeIssues = ({ path, pointer, type }: Leaf): readonly Issue[] =>
  faultsOf(type).map((fault) => ({
    path: `${pointer}/type${fault.path}`,
    message: `${path}: ${fault.message}`,
  }));

const rootIssues = ({ properties }: Schema): readonly Issue[] =>
  properties.flatMap(({ name }, index) =>
    name.startsWith('_')
      ? [{ path: `/properties/${String(index)}/name`, message: `${name}: must not begin with _` }]
      : [],
  );

const columnIssues = (leaves: readonly Leaf[]): readonly Issue[] => {
  const known = new Map<string, string>();
  return leaves.flatMap(({ path, column, pointer }): Issue[] => {
    if (Buffer.byteLength(column) > MAX_NAME_BYTES)
      return [{ path: pointer, message: `${path}: its column ${column} is longer than 63 bytes` }];
    const folded = column.toLowerCase();
    const other = known.get(folded);
    if (other === undefined) known.set(folded, path);
    return other === undefined
      ? []
      : [{ path: pointer, message: `${path}: has the column ${column} in common with ${other}` }];
  });
};

/**
 * What a schema of profiles may not have, beside flags and notation.
 *
 * @returns an issue for each place, as a JSON pointer into the schema; empty when it can be one.
 */
export const checkProfileSchema = (schema: Schema): readonly Issue[] => {
  const leaves = leavesOf(schema);
  const tooMany =
    leaves.length > MAX_PROFILE_COLUMNS
      ? [
          {
            path: '/properties',
            message: `has ${String(leaves.length)} columns: ${String(MAX_PROFILE_COLUMNS)} are possible`,
          },
        ]
      : [];
  return [
    ...rootIssues(schema),
    ...leaves.flatMap(typeIssues),
    ...columnIssues(leaves),
    ...tooMany,
  ];
};
