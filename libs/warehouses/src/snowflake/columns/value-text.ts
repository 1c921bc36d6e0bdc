import type { Type, Value } from '@penstock/schema';
import { stagedText } from './staged-text';

/** A moment in UTC as a text that a cast takes, whatever the session's format. */
export const momentCell = (moment: string): string => moment.replace('T', ' ').replace('Z', '');

/** A value as a cell of a staging table, whose columns are texts; null where there is none. */
export const cellOf = (
  type: Type,
  value: Value | undefined,
  fractionDigits?: number,
): string | null =>
  value === undefined || value === null ? null : stagedText(type, value, fractionDigits);
