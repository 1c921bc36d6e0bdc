import { isJsonArray, type JsonObject } from '@penstock/schema';
import {
  flag,
  list,
  members,
  readObjects,
  readText,
  text,
  type Form,
  type Setting,
} from '@penstock/settings';
import { FileFault } from '../content/file-fault';
import { linesOf } from '../content/lines-of';
import { textOf } from '../content/text-of';
import { type FileFormat, type FileRecord, type FileTable, noSheets } from '../format/file-format';
import { peeked, type Peeked } from '../format/peeked';
import { propertyNamesOf } from '../format/property-names';
import { MAX_COLUMNS, propertyOf, schemaOf } from '../format/text-columns';
import { jsonElements, MAX_ELEMENT_LENGTH } from './json-elements';
import { type JsonColumn, jsonRecord } from './json-record';
import { jsonWriter } from './json-writer';

const MAX_NAME_LENGTH = 1_024;

const properties = list(
  members(
    {
      name: 'name',
      form: text({ maxLength: MAX_NAME_LENGTH }),
      description: 'Name of the member.',
      required: true,
    },
    {
      name: 'required',
      form: flag,
      description: 'Whether a record without it is an error.',
      default: false,
    },
  ),
  MAX_COLUMNS,
);

const someProperties: Form = {
  ...properties,
  check: (json, path, issues) => {
    if (isJsonArray(json) && json.length === 0)
      issues.push({ path, message: 'must have an element at least' });
    return properties.check(json, path, issues);
  },
};

const WRITTEN: readonly Setting[] = [
  {
    name: 'indent',
    form: flag,
    description: 'Of exports: whether lines are indented.',
    default: false,
  },
  {
    name: 'generateASCII',
    form: flag,
    description: 'Of exports: whether characters beyond ASCII are escaped.',
    default: false,
  },
  {
    name: 'allowSpecialFloats',
    form: flag,
    description: 'Of exports: whether NaN and the infinities are written, which is not JSON.',
    default: false,
  },
];

const settings = members(
  {
    name: 'properties',
    form: someProperties,
    description: 'The members that are read of each object.',
    required: true,
  },
  ...WRITTEN,
);

const TOO_LONG = `is longer than ${String(MAX_ELEMENT_LENGTH)} characters`;

const columnsOf = (json: JsonObject): readonly JsonColumn[] => {
  const given = readObjects(json, 'properties');
  const names = propertyNamesOf(given.map((each) => readText(each, 'name')));
  return given.map((each, index) => ({
    member: readText(each, 'name'),
    property: names[index] ?? '',
    isRequired: each.get('required') === true,
  }));
};

async function* ofLines(
  texts: AsyncIterable<string>,
  columns: readonly JsonColumn[],
): AsyncGenerator<readonly FileRecord[]> {
  for await (const lines of linesOf(texts, MAX_ELEMENT_LENGTH)) {
    const records: FileRecord[] = [];
    for (const line of lines)
      if (line.text === null) records.push({ row: line.number, error: TOO_LONG });
      else if (line.text.trim() !== '') records.push(jsonRecord(line.text, line.number, columns));
    if (records.length > 0) yield records;
  }
}

async function* ofArray(
  texts: AsyncIterable<string>,
  columns: readonly JsonColumn[],
): AsyncGenerator<readonly FileRecord[]> {
  let row = 0;
  for await (const elements of jsonElements(texts))
    yield elements.map((element) => {
      row += 1;
      return element === null ? { row, error: TOO_LONG } : jsonRecord(element, row, columns);
    });
}

/** Leaves out white space at the beginning, however much of it there is. */
async function* trimmed(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isBegun = false;
  for await (const each of texts) {
    const rest: string = isBegun ? each : each.trimStart();
    isBegun ||= rest !== '';
    if (rest !== '') yield rest;
  }
}

async function* withoutBracket(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const each of texts) {
    yield isFirst ? each.slice(1) : each;
    isFirst = false;
  }
}

const recordsOf = (
  { first = '', all }: Peeked<string>,
  columns: readonly JsonColumn[],
): Pick<FileTable, 'unit' | 'records'> => {
  if (first.startsWith('['))
    return { unit: 'record', records: ofArray(withoutBracket(all), columns) };
  if (first === '' || first.startsWith('{'))
    return { unit: 'line', records: ofLines(all, columns) };
  throw new FileFault('InvalidFile', 'is neither a JSON array of objects nor one object a line');
};

/** An array of objects, or one object a line; all columns are json. */
export const jsonFormat: FileFormat = {
  code: 'json',
  label: 'JSON',
  contentType: 'application/json',
  fileExtension: 'json',
  hasSheets: false,
  settings,
  writingSettings: members(...WRITTEN),
  sheets: noSheets,
  open: async ({ bytes }, { settings: json, columns: wanted }) => {
    const columns = columnsOf(json);
    const read = columns.filter(({ property }) => wanted?.has(property) !== false);
    const texts = await peeked(trimmed(textOf(bytes)));
    try {
      return {
        schema: schemaOf(
          columns.map(({ property, isRequired }) =>
            propertyOf(property, { kind: 'json' }, { readOptional: !isRequired }),
          ),
        ),
        issues: [],
        ...recordsOf(texts, read),
        close: texts.close,
      };
    } catch (error) {
      await texts.close();
      throw error;
    }
  },
  writer: jsonWriter,
};
