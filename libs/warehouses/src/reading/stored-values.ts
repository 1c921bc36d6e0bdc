import { newRecord, type Type } from '@penstock/schema';

const MAX_ELEMENTS = 2_147_483_647;

/** Elements that a profile has from several identities may be more, or fewer, than the type allows for one of them. */
const unlimited = (type: Type): Type =>
  type.kind === 'array'
    ? { ...type, minElements: 0, maxElements: MAX_ELEMENTS, uniqueElements: false }
    : type;

const UNLIMITED = new WeakMap<Type, Type>();

/** The type of the values that a warehouse may have of a type: one for each, so that it is compiled once. */
export const storedType = (type: Type): Type => {
  const known = UNLIMITED.get(type) ?? unlimited(type);
  UNLIMITED.set(type, known);
  return known;
};

/** A record while it is being filled. */
type Filled = ReturnType<typeof newRecord>;

/** The object at the end of a way of names, made where it is not there. */
export const valuesAt = (record: Filled, path: readonly string[]): Filled => {
  let object = record;
  for (const name of path) {
    const present = (object[name] as Filled | undefined) ?? newRecord();
    object[name] = present;
    object = present;
  }
  return object;
};
