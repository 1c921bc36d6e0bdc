import { CONTEXT_SLOTS } from './context-slots';
import type { Leaf } from './leaf';

/** @returns the JSON text of the context, `''` when it is empty. */
export const writeContext = (leaves: readonly (Leaf | undefined)[]): string => {
  let text = '';
  let section = '';
  for (let index = 0; index < leaves.length; index += 1) {
    const leaf = leaves[index];
    if (leaf === undefined) continue;
    const slot = CONTEXT_SLOTS[index];
    if (slot === undefined) break;
    if (slot.section === section) text += text === '' ? '{' : ',';
    else {
      if (section !== '') text += '}';
      text += text === '' ? '{' : ',';
      section = slot.section;
      if (section !== '') text += slot.sectionLabel;
    }
    text += slot.label + leaf;
  }
  if (text === '') return '';
  return section === '' ? `${text}}` : `${text}}}`;
};
