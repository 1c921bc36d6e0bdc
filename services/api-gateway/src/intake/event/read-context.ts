import { WITHHELD } from './addresses';
import type { ByteReader } from './byte-reader';
import { BYTE } from './bytes';
import {
  CONTEXT_MEMBERS,
  CONTEXT_SLOTS,
  type ContextSlot,
  type SectionSlots,
  slotAt,
} from './context-slots';
import { isText, type Leaf, leafOf, UNCLEAN } from './leaf';
import { readLeaf } from './read-leaf';
import { isRaw, readRaw } from './read-raw';
import { newReceivedContext, type ReceivedContext } from './received-context';

const { OPEN_BRACE } = BYTE;

const IP = slotAt('/context/ip');
const WITHHELD_LEAF = leafOf(WITHHELD);

/** Names of context members under which the public SDKs send values that belong elsewhere in the schema. */
const SDK_NAMES: ReadonlyMap<string, number> = new Map([
  ['sessionId', slotAt('/context/session/id')],
  ['sessionStart', slotAt('/context/session/start')],
]);

/** @returns undefined when the context is absent, `null` when it is not an object. */
export const readContext = (reader: ByteReader): ReceivedContext | null | undefined => {
  if (reader.peek() !== OPEN_BRACE) return readLeaf(reader) === undefined ? undefined : null;
  const context = newReceivedContext();
  const start = reader.at;
  const bySdkName: [index: number, leaf: Leaf | undefined][] = [];
  reader.enterObject();
  for (let name = reader.nextName(); name !== undefined; name = reader.nextName()) {
    const member = CONTEXT_MEMBERS.get(name);
    if (member !== undefined) readMember(reader, context, name, member);
    else if (name === 'traits') readTraits(reader, context);
    else {
      const index = SDK_NAMES.get(name);
      if (index === undefined) reader.skip();
      else bySdkName.push([index, readFitting(reader, context, index, `/context/${name}`)]);
    }
  }
  for (const [index, leaf] of bySdkName) context.leaves[index] ??= leaf;
  context.bytes = reader.at - start;
  return context;
};

const readMember = (
  reader: ByteReader,
  context: ReceivedContext,
  name: string,
  member: ContextSlot | SectionSlots,
): void => {
  if (!('fit' in member)) readSection(reader, context, name, member);
  else context.leaves[member.index] = readFitting(reader, context, member.index, member.path);
};

const readSection = (
  reader: ByteReader,
  context: ReceivedContext,
  section: string,
  slots: SectionSlots,
): void => {
  if (reader.peek() !== OPEN_BRACE) {
    if (readLeaf(reader) !== undefined)
      context.leftOut.push({ path: `/context/${section}`, message: 'must be an object' });
    return;
  }
  reader.enterObject();
  for (let name = reader.nextName(); name !== undefined; name = reader.nextName()) {
    const slot = slots.get(name);
    if (slot === undefined) reader.skip();
    else context.leaves[slot.index] = readFitting(reader, context, slot.index, slot.path);
  }
};

/** Reads a member as it will be written; one that does not fit its slot is noted and dropped. */
const readFitting = (
  reader: ByteReader,
  context: ReceivedContext,
  index: number,
  path: string,
): Leaf | undefined => {
  const leaf = readLeaf(reader);
  if (leaf === undefined) return undefined;
  if (index === IP && leaf === WITHHELD_LEAF) {
    context.withholdsAddress = true;
    return undefined;
  }
  const fitting = CONTEXT_SLOTS[index]?.fit(leaf);
  if (fitting === undefined) context.leftOut.push({ path, message: reasonOf(leaf) });
  return fitting;
};

const reasonOf = (leaf: Leaf): string => {
  if (leaf === UNCLEAN) return 'must not hold NUL or a lone surrogate';
  return isText(leaf) ? 'is not a value of this member' : 'is not of the type of this member';
};

const readTraits = (reader: ByteReader, context: ReceivedContext): void => {
  const traits = readRaw(reader);
  if (traits === undefined) return;
  if (isRaw(traits)) context.traits = traits;
  else context.leftOut.push({ path: '/context/traits', message: 'must be an object' });
};
