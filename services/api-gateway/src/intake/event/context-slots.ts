import { EVENT_SCHEMA } from '@penstock/contracts';
import type { ObjectType, Property } from '@penstock/schema';
import { type Fit, fitFor } from './fit';

/** A member of the context, or of one of its sections. Slots are numbered in the order in which they are written. */
export interface ContextSlot {
  readonly index: number;
  /** JSON pointer within the event. */
  readonly path: string;
  /** `''` for a member of the context itself. */
  readonly section: string;
  /** JSON text that opens the section, such as `"app":{`; `''` without a section. */
  readonly sectionLabel: string;
  /** JSON text of the name, such as `"name":`. */
  readonly label: string;
  readonly fit: Fit;
}

export type SectionSlots = ReadonlyMap<string, ContextSlot>;

const contextType = EVENT_SCHEMA.properties.find(({ name }) => name === 'context')
  ?.type as ObjectType;

const slots: ContextSlot[] = [];

const addSlot = (section: string, { name, type }: Property): [string, ContextSlot] => {
  const path = section === '' ? `/context/${name}` : `/context/${section}/${name}`;
  const slot = {
    index: slots.length,
    path,
    section,
    sectionLabel: section === '' ? '' : `"${section}":{`,
    label: `"${name}":`,
    fit: fitFor(path, type),
  };
  slots.push(slot);
  return [name, slot];
};

const addMember = (property: Property): [string, ContextSlot | SectionSlots] =>
  property.type.kind === 'object'
    ? [property.name, new Map(property.type.properties.map((each) => addSlot(property.name, each)))]
    : addSlot('', property);

/**
 * Maps the name of a member of the context to its slot, or to the slots of its section. Built from the event schema.
 */
export const CONTEXT_MEMBERS: ReadonlyMap<string, ContextSlot | SectionSlots> = new Map(
  contextType.properties.map(addMember),
);

/** All slots, in the order of the schema. */
export const CONTEXT_SLOTS: readonly ContextSlot[] = slots;

/** Returns the number of the slot at a path, e.g. `/context/os/name`. */
export const slotAt = (path: string): number => {
  const slot = slots.find((each) => each.path === path);
  if (slot === undefined) throw new Error(`the event schema has no ${path}`);
  return slot.index;
};
