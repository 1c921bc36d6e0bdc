import type { JsonObject } from '@penstock/schema';
import type { CaseList } from './case';
import { type CaseFile, listsOf } from './case-file';
import { eventSchemaLists } from './event-schema-file';
import { FILTER_FILE } from './filter-file';
import { MAPPING_FILE } from './mapping-file';
import { TYPES_FILE } from './types-file';

type ListsOfFile = (name: string, file: JsonObject) => CaseList[];

const of =
  (format: CaseFile): ListsOfFile =>
  (name, file) =>
    listsOf(name, file, format);

/** The case files that need only the libraries, by name. Add new ones here. */
export const PURE_FILES: ReadonlyMap<string, ListsOfFile> = new Map([
  ['event-schema.json', eventSchemaLists],
  ['types.json', of(TYPES_FILE)],
  ['filter.json', of(FILTER_FILE)],
  ['mapping.json', of(MAPPING_FILE)],
]);

/** The case file that needs intake. */
export const EVENTS_FILE = 'events.json';
