import { type JsonObject, type RecordValue, type Schema, textOf } from '@penstock/schema';
import { readText } from '@penstock/settings';
import { type FileWriter, noProblem, type TableWriting } from '../format/file-writer';

/** Makes the text of a cell one that reads back as it is. */
const cellWriter = (separator: string): ((text: string) => string) => {
  // Source: `encoding/csv` of Go, which also quotes what ends a table for PostgreSQL, and leading white space.
  const needsQuotes = (text: string): boolean =>
    text.includes(separator) || /["\r\n]|^\s|^\\\.$/.test(text);
  return (text) => (needsQuotes(text) ? `"${text.replace(/"/g, '""')}"` : text);
};

const lineWriter = (settings: JsonObject): ((cells: readonly string[]) => string) => {
  const separator = readText(settings, 'separator');
  const cell = cellWriter(separator);
  const end = settings.get('useCRLF') === true ? '\r\n' : '\n';
  return (cells) => {
    const line = cells.map(cell).join(separator);
    // A line without anything would be no row.
    return (line === '' ? '""' : line) + end;
  };
};

const cellsOf = ({ properties }: Schema): ((record: RecordValue) => readonly string[]) => {
  return (record) =>
    properties.map(({ name, type }) => {
      const value = record[name] ?? null;
      return value === null ? '' : textOf(type, value);
    });
};

/** Writes csv files. The first row has the names of the columns; a value that is missing or null is an empty cell. */
export const csvWriter = ({ schema, settings }: TableWriting): FileWriter => {
  const line = lineWriter(settings);
  const cells = cellsOf(schema);
  return {
    problemOf: noProblem,
    write: async function* (records) {
      yield Buffer.from(line(schema.properties.map(({ name }) => name)));
      for await (const batch of records)
        if (batch.length > 0)
          yield Buffer.from(batch.map((record) => line(cells(record))).join(''));
    },
  };
};
