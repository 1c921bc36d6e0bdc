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
import { columnProblem } from '../format/property-names';

/** A member that is read of each object. */
export interface JsonColumn {
  /** Of the member. */
  readonly member: string;
  /** Of the property that it becomes. */
  readonly property: string;
  readonly isRequired: boolean;
}

const NOT_CLEAN = 'is not UTF-8, or holds NUL or half a character';

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

/**
 * The record that a JSON text holds, every number with its digits. A member that cannot be read, or is missing, fails the
 * record, and no other member.
 */
export const jsonRecord = (
  text: string,
  row: number,
  columns: readonly JsonColumn[],
): FileRecord => {
  const object = objectIn(text);
  if (typeof object === 'string') return { row, error: object };
  const values = newRecord();
  const errors: string[] = [];
  for (const { member, property, isRequired } of columns) {
    const json = object.get(member);
    try {
      if (json !== undefined) values[property] = decodeValue({ kind: 'json' }, json);
      else if (isRequired) errors.push(columnProblem(member, 'is missing'));
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      errors.push(columnProblem(member, NOT_CLEAN));
    }
  }
  if (errors.length === 0) return { row, values };
  return { row, error: errors.join('; '), readable: values };
};
