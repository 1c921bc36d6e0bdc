import { isJsonObject, JsonSyntaxError, parseJson, writeJson } from '@penstock/schema';
import { malformed } from '../http/read-json';
import { FILE_LIMIT, inQuery, json, type Parameter, required } from '../openapi/schema/parameters';
import { parameter, type QueryParameters } from '../validation/page';
import { MAX_SHEET, SHEET, SHEET_RULE } from './sheet-name';

const DEFAULT_LIMIT = 0;
const MAX_LIMIT = 100;
/** Upper bound for codes and words; what there is of them is checked by who knows it. */
const MAX_WORD = 100;
/** Upper bound for the length of paths; the storage has a lower one. */
const MAX_PATH = 4_096;
/** Same limit as for a request body. */
const MAX_DEPTH = 128;

const text = (minLength: number, maxLength: number) =>
  ({ type: 'string', minLength, maxLength }) as const;

const PATH: Parameter = required(
  inQuery('path', 'Path of the file, relative to the root of the storage.', text(1, MAX_PATH)),
);

/** Parameters that say which file is read, and how. */
export const FILE_QUERY: readonly Parameter[] = [
  PATH,
  required(
    inQuery('format', 'Code of a format: `csv`, `excel`, `json`, `parquet`.', text(1, MAX_WORD)),
  ),
  inQuery('compression', '`Zip`, `Gzip` or `Snappy`; empty or left out: none.', text(0, MAX_WORD)),
  json('formatSettings', 'Settings of the format; `{}` when it is left out.', 'FormatSettings'),
];

/** Parameters of an excerpt of a file. */
export const EXCERPT_QUERY: readonly Parameter[] = [
  ...FILE_QUERY,
  inQuery('sheet', 'Name of the sheet, where the format has sheets.', {
    ...text(1, MAX_SHEET),
    pattern: SHEET.source,
  }),
  FILE_LIMIT,
];

/** Parameters of an absolute path. */
export const PATH_QUERY: readonly Parameter[] = [PATH];

/** A parameter with a bounded number of UTF-16 units; undefined when it is absent. */
const bounded = (
  query: QueryParameters,
  name: string,
  minLength: number,
  maxLength: number,
): string | undefined => {
  const value = parameter(query, name);
  if (value === undefined) return undefined;
  if (value.length < minLength || value.length > maxLength)
    throw malformed(
      `/${name}`,
      `must be ${String(minLength)} to ${String(maxLength)} characters long`,
    );
  return value;
};

const present = (value: string | undefined, name: string): string => {
  if (value === undefined) throw malformed(`/${name}`, 'is required');
  return value;
};

const formatSettingsIn = (query: QueryParameters): string => {
  const given = parameter(query, 'formatSettings') ?? '';
  if (given === '') return '{}';
  try {
    const settings = parseJson(given, { maxDepth: MAX_DEPTH });
    if (!isJsonObject(settings)) throw malformed('/formatSettings', 'must be an object');
    return writeJson(settings);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw malformed(`/formatSettings${error.path}`, `is not JSON: ${error.message}`);
  }
};

/** Reads the path of a file. @throws Refusal BadRequest */
export const pathIn = (query: QueryParameters): string =>
  present(bounded(query, 'path', 1, MAX_PATH), 'path');

/** Reads which file is wanted, and how it is to be read. @throws Refusal BadRequest */
export const fileIn = (query: QueryParameters) => ({
  path: pathIn(query),
  format: present(bounded(query, 'format', 1, MAX_WORD), 'format'),
  compression: bounded(query, 'compression', 0, MAX_WORD) ?? '',
  formatSettings: formatSettingsIn(query),
});

const sheetIn = (query: QueryParameters): string | null => {
  const sheet = bounded(query, 'sheet', 1, MAX_SHEET);
  if (sheet !== undefined && !SHEET.test(sheet)) throw malformed('/sheet', SHEET_RULE);
  return sheet ?? null;
};

/** Reads which part of which file is wanted. @throws Refusal BadRequest */
export const excerptIn = (query: QueryParameters) => {
  const limit = parameter(query, 'limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) > MAX_LIMIT)
    throw malformed('/limit', `must be a whole number from 0 to ${String(MAX_LIMIT)}`);
  return { ...fileIn(query), sheet: sheetIn(query), limit: Number(limit) };
};
