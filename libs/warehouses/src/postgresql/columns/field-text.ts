import type { Value } from '@penstock/schema';
import { Unwritable } from '../../merging/unwritable';
import { COPY_NULL, columnText, copyText } from './copy-text';
import type { ValueColumn } from '../../profiles/value-columns';

/**
 * The value of a column as a field of the text format of COPY.
 *
 * @param fractionDigits as of `columnText`.
 * @throws Unwritable naming the path of a value that no warehouse should keep
 */
export const fieldText = (
  { path, type }: Pick<ValueColumn, 'path' | 'type'>,
  value: Value | undefined,
  fractionDigits?: number,
): string => {
  if (value === undefined || value === null) return COPY_NULL;
  try {
    return copyText(columnText(type, value, fractionDigits));
  } catch (error) {
    if (error instanceof Unwritable) throw new Unwritable(`${path.join('.')}: ${error.message}`);
    throw error;
  }
};
