import {
  decodeValue,
  Invalid,
  JsonSyntaxError,
  parseJson,
  type PlainType,
  type Value,
} from '@penstock/schema';
import { checkNestedText } from './nested-text';
import { BadValue } from './source-column';

const JSON_TYPE: PlainType = { kind: 'json' };

/**
 * JSON with every digit and the order of its members.
 *
 * @throws BadValue
 */
export const readJson = (text: string): Value => {
  checkNestedText(text);
  try {
    return decodeValue(JSON_TYPE, parseJson(text));
  } catch (error) {
    if (error instanceof Invalid) throw new BadValue('holds JSON with NUL or half a character');
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new BadValue(`is not JSON that can be taken: ${error.message}`);
  }
};
