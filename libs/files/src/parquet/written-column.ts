import type { SchemaElement } from 'hyparquet';
import type { Property, RecordValue, Type, Value } from '@penstock/schema';
import { writtenLeaf } from './written-leaf';

/** How a column, or a part of one, is stored: its parts of the schema in their order, and what a value becomes. */
export interface WrittenColumn {
  readonly elements: readonly SchemaElement[];
  readonly convert: (value: Value) => unknown;
}

type Repetition = 'OPTIONAL' | 'REQUIRED';

/** Elements of lists and values of maps are never null. Source: the format, "Nested Types". */
const list = (name: string, elementType: Type, repetition: Repetition): WrittenColumn => {
  const element = part('element', elementType, 'REQUIRED');
  return {
    elements: [
      {
        ...{ name, repetition_type: repetition, num_children: 1 },
        ...{ converted_type: 'LIST', logical_type: { type: 'LIST' } },
      },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...element.elements,
    ],
    convert: (value) => (value as readonly Value[]).map(element.convert),
  };
};

const map = (name: string, elementType: Type, repetition: Repetition): WrittenColumn => {
  const value = part('value', elementType, 'REQUIRED');
  return {
    elements: [
      {
        ...{ name, repetition_type: repetition, num_children: 1 },
        ...{ converted_type: 'MAP', logical_type: { type: 'MAP' } },
      },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...part('key', { kind: 'string' }, 'REQUIRED').elements,
      ...value.elements,
    ],
    convert: (given) =>
      Array.from(given as ReadonlyMap<string, Value>, ([key, each]) => ({
        key,
        value: value.convert(each),
      })),
  };
};

const group = (
  name: string,
  properties: readonly Property[],
  repetition: Repetition,
): WrittenColumn => {
  const members = properties.map((each) => ({
    name: each.name,
    column: part(each.name, each.type, 'OPTIONAL'),
  }));
  return {
    elements: [
      { name, repetition_type: repetition, num_children: members.length },
      ...members.flatMap(({ column }) => column.elements),
    ],
    convert: (value) => {
      const made: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const member of members) {
        const given = (value as RecordValue)[member.name] ?? null;
        made[member.name] = given === null ? null : member.column.convert(given);
      }
      return made;
    },
  };
};

const part = (name: string, type: Type, repetition: Repetition): WrittenColumn => {
  switch (type.kind) {
    case 'array':
      return list(name, type.elementType, repetition);
    case 'map':
      return map(name, type.elementType, repetition);
    case 'object':
      return group(name, type.properties, repetition);
    default: {
      const { element, convert } = writtenLeaf(type);
      return { elements: [{ name, repetition_type: repetition, ...element }], convert };
    }
  }
};

/** How a property is stored: as a column that may be null, whatever the property may be. */
export const writtenColumn = ({ name, type }: Property): WrittenColumn =>
  part(name, type, 'OPTIONAL');
