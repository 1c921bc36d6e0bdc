import type { SchemaElement, SchemaTree } from 'hyparquet';
import { newRecord, type Property, textOf, type Type, type Value } from '@penstock/schema';
import { propertyNameOf } from '../format/property-names';
import { propertyOf } from '../format/text-columns';
import { BadValue, type Leaf } from './leaf';
import type { LeafReader } from './leaf-reader';
import { leafTypeOf, nameOfType } from './leaf-types';

/** A column of scalars of the file, and who reads it in the present group of rows. */
export interface Slot {
  /** As the file names it. */
  readonly path: readonly string[];
  readonly leaf: Omit<Leaf, 'codec'>;
  reader: LeafReader | undefined;
}

/** What is wrong with the record that is being read. */
export interface Problems {
  first: string | undefined;
}

/** A column of the file, or a part of one, that can be read. */
export interface ColumnPart {
  readonly type: Type;
  readonly nullable: boolean;
  readonly slots: readonly Slot[];
  /** Takes the value of the next row from the readers; `null` where there is none. */
  readonly read: () => Value;
}

/** The column cannot be read: why. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

interface Place {
  /** Levels of the part that contains this one. */
  readonly definition: number;
  readonly repetition: number;
  readonly problems: Problems;
}

const MAX_NESTING = 32;

const readerOf = ({ reader }: Slot): LeafReader => {
  if (reader === undefined) throw new TypeError('a column is read outside of a group of rows');
  return reader;
};

const firstOf = (slots: readonly Slot[]): Slot => {
  const [first] = slots;
  if (first === undefined) throw new Unreadable('it has no values');
  return first;
};

const skip = (slots: readonly Slot[]): void => {
  for (const slot of slots) readerOf(slot).next();
};

const report = (problems: Problems, problem: string): null => {
  problems.first ??= problem;
  return null;
};

/** The place inside of a part. */
const within = ({ element }: SchemaTree, place: Place): Place => ({
  ...place,
  definition: place.definition + (element.repetition_type === 'REQUIRED' ? 0 : 1),
  repetition: place.repetition + (element.repetition_type === 'REPEATED' ? 1 : 0),
});

const scalar = (
  { element, path }: SchemaTree,
  { definition, repetition, problems }: Place,
): ColumnPart => {
  const found = leafTypeOf(element);
  if (found === undefined || element.type === undefined)
    throw new Unreadable(`the type ${nameOfType(element)} cannot be read`);
  const slot: Slot = {
    path,
    leaf: {
      type: element.type,
      typeLength: element.type_length,
      maxDefinition: definition,
      maxRepetition: repetition,
      convert: found.convert,
    },
    reader: undefined,
  };
  const read = (): Value => {
    const value = readerOf(slot).next();
    return value instanceof BadValue ? report(problems, value.reason) : (value as Value);
  };
  return { type: found.type, nullable: false, slots: [slot], read };
};

const group = (tree: SchemaTree, place: Place): ColumnPart => {
  const names = tree.children.map(({ element }) => propertyNameOf(element.name));
  if (names.includes('') || new Set(names).size < names.length)
    throw new Unreadable('the names of its members cannot be those of properties');
  const parts = tree.children.map((child) => partOf(child, place));
  if (parts.length === 0) throw new Unreadable('it has no members');
  const properties = parts.map(({ type, nullable }, index) =>
    propertyOf(names[index] ?? '', type, { nullable }),
  );
  const read = (): Value => {
    const record = newRecord();
    for (let index = 0; index < parts.length; index += 1)
      record[names[index] ?? ''] = parts[index]?.read() ?? null;
    return record;
  };
  return {
    type: { kind: 'object', properties },
    nullable: false,
    slots: parts.flatMap(({ slots }) => slots),
    read,
  };
};

/** Older writers name the repeated part so when it is the element itself. Source: the format, "Lists". */
const isElement = (repeated: SchemaTree, list: SchemaElement): boolean =>
  repeated.children.length !== 1 ||
  repeated.element.name === 'array' ||
  repeated.element.name === `${list.name}_tuple`;

const isRepeated = (tree: SchemaTree | undefined): tree is SchemaTree =>
  tree?.element.repetition_type === 'REPEATED';

/** What stands in a part once it is there, its own repetition aside. */
const contentOf = (tree: SchemaTree, place: Place): ColumnPart => {
  const { element, children } = tree;
  if (children.length === 0) return scalar(tree, place);
  const kind = element.logical_type?.type ?? element.converted_type;
  const [first] = children;
  if (kind === 'VARIANT') throw new Unreadable('the type VARIANT cannot be read');
  if (kind === 'LIST' && children.length === 1 && isRepeated(first))
    return list(first, element, place);
  const isMap = kind === 'MAP' || kind === 'MAP_KEY_VALUE';
  if (isMap && children.length === 1 && isRepeated(first)) return map(first, place);
  return group(tree, place);
};

const arrayOf = (element: Type): Type => ({
  kind: 'array',
  elementType: element,
  minElements: 0,
  maxElements: 2_147_483_647,
  uniqueElements: false,
});

/** Reads a repeated part: each element by `element`. */
const repeating = (
  slots: readonly Slot[],
  { definition, repetition }: Place,
  element: () => void,
): (() => void) => {
  const first = firstOf(slots);
  return () => {
    const reader = readerOf(first);
    if (reader.definition < definition) {
      skip(slots);
      return;
    }
    do element();
    while (reader.repetition === repetition);
  };
};

const arrayPart = (part: ColumnPart, place: Place): ColumnPart => {
  let elements: Value[] = [];
  const readElements = repeating(part.slots, place, () => {
    const outer = elements;
    const value = part.read();
    elements = outer;
    if (value === null) report(place.problems, 'holds null in a list');
    elements.push(value);
  });
  const read = (): Value => {
    elements = [];
    readElements();
    return elements;
  };
  return { type: arrayOf(part.type), nullable: false, slots: part.slots, read };
};

const list = (repeated: SchemaTree, of: SchemaElement, place: Place): ColumnPart => {
  const inner = within(repeated, place);
  const [only] = repeated.children;
  const part =
    only === undefined || isElement(repeated, of)
      ? contentOf(repeated, inner)
      : partOf(only, inner);
  return arrayPart(part, inner);
};

const map = (repeated: SchemaTree, place: Place): ColumnPart => {
  const inner = within(repeated, place);
  const [keyTree, valueTree, ...more] = repeated.children;
  if (keyTree === undefined || valueTree === undefined || more.length > 0)
    throw new Unreadable('it is a map without keys or values');
  const [key, value] = [partOf(keyTree, inner), partOf(valueTree, inner)];
  if (['json', 'array', 'map', 'object'].includes(key.type.kind))
    throw new Unreadable('the keys of its map are no scalars');
  const slots = [...key.slots, ...value.slots];
  let entries = new Map<string, Value>();
  const readEntries = repeating(slots, inner, () => {
    const outer = entries;
    const [name, each] = [key.read(), value.read()];
    entries = outer;
    if (name === null || each === null) report(place.problems, 'holds null in a map');
    else entries.set(textOf(key.type, name), each);
  });
  const read = (): Value => {
    entries = new Map();
    readEntries();
    return entries;
  };
  return { type: { kind: 'map', elementType: value.type }, nullable: false, slots, read };
};

const optional = (part: ColumnPart, { definition }: Place): ColumnPart => {
  const first = firstOf(part.slots);
  const read = (): Value => {
    if (readerOf(first).definition >= definition) return part.read();
    skip(part.slots);
    return null;
  };
  return { ...part, nullable: true, read };
};

const partOf = (tree: SchemaTree, outer: Place): ColumnPart => {
  if (tree.path.length > MAX_NESTING) throw new Unreadable('it is nested too deep');
  const place = within(tree, outer);
  const content = contentOf(tree, place);
  switch (tree.element.repetition_type) {
    case 'OPTIONAL':
      return optional(content, place);
    case 'REPEATED':
      return arrayPart(content, place);
    default:
      return content;
  }
};

/** A column of the table. */
export interface Column {
  readonly property: Property;
  readonly part: ColumnPart;
}

/**
 * A part of a file's schema at the top.
 *
 * @throws Unreadable when no type is like that of the column, or of a part of it.
 */
export const columnPart = (tree: SchemaTree, problems: Problems): ColumnPart =>
  partOf(tree, { definition: 0, repetition: 0, problems });
