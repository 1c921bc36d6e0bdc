export { checkedBy, type Form, type Plain, secretsIn, type Setting } from './form';
export { list } from './list';
export { mask } from './mask';
export { members } from './members';
export {
  readNumber,
  readObjects,
  readOptionalNumber,
  readOptionalObject,
  readOptionalText,
  readText,
} from './read';
export { flag, integer } from './scalars';
export { tagged } from './tagged';
export { text, type TextRules, word } from './text';
