import { ownProperties, type PlacedProperty } from '../every-property';
import type { Issue } from '../issue';
import type { ObjectType, Property, Schema, Type } from '../type';
import { writeJson } from '../write-json';
import { typeToJson } from './print-type';

/** What the schemas are compared for; null for reading. */
export type AlignmentMode = null | 'CreateOnly' | 'UpdateOnly' | 'CreateOrUpdate';

/** One thing in which a schema differs from the current one. */
export interface Difference extends Issue {
  /** Dotted path of the property; arrays and maps on the way add nothing. */
  readonly property: string;
}

/** A property of both schemas: the submitted one, placed, and the current one. */
interface Pair {
  readonly placed: PlacedProperty;
  readonly current: Property;
}

type Flag = 'createRequired' | 'updateRequired' | 'readOptional' | 'nullable';

const NO_PROPERTIES: Schema = { kind: 'object', properties: [] };

/** Keys whose types are compared in turn. */
const INNER_KEYS: readonly string[] = ['elementType', 'properties'];

/**
 * Everything in which a submitted schema does not fit the current one, at every depth: properties that do not
 * exist, types and flags that are not equal, and required properties that were left out. Leaving out other
 * properties, order, `description` and `prefilled` never matter.
 *
 * @param schema  null is a schema without properties; so is a null `against`.
 * @returns with `path` the JSON pointer to the property in `schema`, or to the object that lacks it.
 */
export const align = (
  schema: Schema | null,
  against: Schema | null,
  mode: AlignmentMode,
): Difference[] => alignObjects(schema ?? NO_PROPERTIES, against ?? NO_PROPERTIES, '', '', mode);

const alignObjects = (
  submitted: ObjectType,
  current: ObjectType,
  path: string,
  at: string,
  mode: AlignmentMode,
): Difference[] => {
  const named = new Map(current.properties.map((property) => [property.name, property]));
  const differences = ownProperties(submitted, path, at).flatMap((placed) => {
    const twin = named.get(placed.property.name);
    return twin ? alignProperties({ placed, current: twin }, mode) : [notThere(placed)];
  });
  const given = new Set(submitted.properties.map(({ name }) => name));
  const leftOut = ownProperties(current, path, at).filter(
    ({ property }) => !given.has(property.name) && isRequired(property, mode),
  );
  return [...differences, ...leftOut.map((placed) => required(placed, at))];
};

const alignProperties = (pair: Pair, mode: AlignmentMode): Difference[] => {
  const { property, pointer } = pair.placed;
  return [
    ...comparedFlags(mode).flatMap((flag) =>
      difference(pair, flag, String(property[flag]), String(pair.current[flag])),
    ),
    ...alignTypes(pair, property.type, pair.current.type, `${pointer}/type`, mode),
  ];
};

/** @param at pointer to the submitted type. */
const alignTypes = (
  pair: Pair,
  submitted: Type,
  current: Type,
  at: string,
  mode: AlignmentMode,
): Difference[] => {
  if (submitted.kind !== current.kind)
    return difference(pair, 'kind', submitted.kind, current.kind);
  const own = keyDifferences(pair, submitted, current);
  if (submitted.kind === 'object' && current.kind === 'object')
    return alignObjects(submitted, current, pair.placed.path, at, mode);
  if ('elementType' in submitted && 'elementType' in current) {
    const inner = `${at}/elementType`;
    return [...own, ...alignTypes(pair, submitted.elementType, current.elementType, inner, mode)];
  }
  return own;
};

/** Compares the canonical notations of two types of one kind, key by key. */
const keyDifferences = (pair: Pair, submitted: Type, current: Type): Difference[] => {
  const [a, b] = [typeToJson(submitted), typeToJson(current)];
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys]
    .filter((key) => !INNER_KEYS.includes(key))
    .flatMap((key) => difference(pair, key, valueAt(a, key), valueAt(b, key)));
};

const valueAt = (notation: ReturnType<typeof typeToJson>, key: string): string => {
  const value = notation.get(key);
  return value === undefined ? 'not set' : writeJson(value);
};

const comparedFlags = (mode: AlignmentMode): Flag[] => {
  if (mode === null) return ['readOptional', 'nullable'];
  return [...requiringFlags(mode), 'nullable'];
};

/** The flags by which a property is required in the mode. */
const requiringFlags = (mode: AlignmentMode): ('createRequired' | 'updateRequired')[] => {
  switch (mode) {
    case null:
      return [];
    case 'CreateOnly':
      return ['createRequired'];
    case 'UpdateOnly':
      return ['updateRequired'];
    case 'CreateOrUpdate':
      return ['createRequired', 'updateRequired'];
  }
};

const isRequired = (property: Property, mode: AlignmentMode): boolean =>
  requiringFlags(mode).some((flag) => property[flag]);

const difference = (
  { placed: { path, pointer } }: Pair,
  what: string,
  submitted: string,
  current: string,
): Difference[] =>
  submitted === current
    ? []
    : [
        {
          property: path,
          path: pointer,
          message: `${path}: ${what} is ${submitted}, in the current schema it is ${current}`,
        },
      ];

const notThere = ({ path, pointer }: PlacedProperty): Difference => ({
  property: path,
  path: pointer,
  message: `${path}: does not exist in the current schema`,
});

const required = ({ path }: PlacedProperty, at: string): Difference => ({
  property: path,
  path: at,
  message: `${path}: is left out, in the current schema it is required`,
});
