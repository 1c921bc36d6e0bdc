import {
  newRecord,
  type Property,
  type RecordValue,
  type Schema,
  type Type,
} from '@penstock/schema';

/** Most columns of a file without types. */
export const MAX_COLUMNS = 1_000;

/** NUL, or half a character, which is also what bytes become that are not UTF-8. */
export const UNCLEAN = /[\0\p{Cs}]/u;

/** A property as a file gives it. */
export const propertyOf = (
  name: string,
  type: Type,
  traits: Partial<Pick<Property, 'nullable' | 'readOptional'>> = {},
): Property => ({
  name,
  type,
  prefilled: '',
  createRequired: false,
  updateRequired: false,
  readOptional: false,
  nullable: false,
  description: '',
  ...traits,
});

/** A schema of these properties. */
export const schemaOf = (properties: readonly Property[]): Schema => ({
  kind: 'object',
  properties,
});

/** A schema whose properties are all texts. */
export const textSchema = (names: readonly string[]): Schema =>
  schemaOf(names.map((name) => propertyOf(name, { kind: 'string' })));

/** A record of texts. */
export const textRecord = (names: readonly string[], cells: readonly string[]): RecordValue => {
  const record = newRecord();
  for (let index = 0; index < names.length; index += 1)
    record[names[index] ?? ''] = cells[index] ?? '';
  return record;
};
