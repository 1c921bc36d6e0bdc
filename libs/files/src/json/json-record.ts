import {
  decodeValue,
  Invalid,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  newRecord,
  parseJson,
} from '@penstock/schema';
import type { FileRecord } from '../format/file-format';

/** A member that is read of each object. */
export interface JsonColumn {
  /** Of the member. */
  readonly member: string;
  /** Of the property that it becomes. */
  readonly property: string;
  readonly isRequired: boolean;
}

/** Source: the depth up to which the API takes JSON. */
const MAX_DEPTH = 128;

const objectIn = (text: string): JsonObject | string => {
  try {
    const json = parseJson(text, { maxDepth: MAX_DEPTH });
    return isJsonObject(json) ? json : 'is not a JSON object';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `is not JSON: ${error.message}`;
  }
};

/** The record that a JSON text holds, every number with its digits. */
export const jsonRecord = (
  text: string,
  row: number,
  columns: readonly JsonColumn[],
): FileRecord => {
  const object = objectIn(text);
  if (typeof object === 'string') return { row, error: object };
  const values = newRecord();
  for (const { member, property, isRequired } of columns) {
    const json = object.get(member);
    if (json === undefined) {
      if (isRequired) return { row, error: `has no ${member}` };
      continue;
    }
    try {
      values[property] = decodeValue({ kind: 'json' }, json);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      return { row, error: `${member} is not UTF-8, or holds NUL or half a character` };
    }
  }
  return { row, values };
};
