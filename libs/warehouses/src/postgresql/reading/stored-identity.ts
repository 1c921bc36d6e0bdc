import type { PipelineId } from '@penstock/contracts';
import { WarehouseFault } from '../../platform/warehouse';
import type { StoredIdentity } from '../../platform/warehouse-reader';

/** A row of an answer: a server may send anything. */
export type Row = Readonly<Record<string, unknown>>;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const NUMBER = /^-?\d{1,19}$/;

const isText = (value: unknown): value is string => typeof value === 'string';

const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

const isTime = (value: unknown): value is string => isText(value) && TIME.test(value);

const isNumber = (value: unknown): value is string => isText(value) && NUMBER.test(value);

const member = <T>(row: Row, name: string, isFit: (value: unknown) => value is T): T => {
  const value = row[name];
  if (isFit(value)) return value;
  throw new WarehouseFault('unusable', `_identities holds a value that does not fit: ${name}`);
};

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedIdentity = (row: Row): StoredIdentity => ({
  place: member(row, 'id', isNumber),
  updatedAt: member(row, 'updatedAt', isTime),
  pipeline: member(row, 'pipeline', isText) as PipelineId,
  recordId: member(row, 'recordId', isText),
  anonymous: member(row, 'anonymous', isFlag),
  anonymousIds: member(row, 'anonymousIds', areTexts),
  profile: member(row, 'profile', isTextOrNull),
});
