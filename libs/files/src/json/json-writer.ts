import type { RecordValue } from '@penstock/schema';
import { checkRecord, type FileWriter, noProblem, type TableWriting } from '../format/file-writer';
import { specialFloatIn } from './special-floats';
import { textWriter } from './json-text-writer';

const MARGIN = '  ';

/** Escapes what is beyond ASCII, which only texts have. */
const ascii = (text: string): string =>
  text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Writes an array of objects, one a line; a member that is missing is left out. */
export const jsonWriter = ({ schema, settings }: TableWriting): FileWriter => {
  const isIndented = settings.get('indent') === true;
  const special = specialFloatIn(schema);
  const text = textWriter(schema);
  const escape = settings.get('generateASCII') === true ? ascii : (given: string) => given;
  const element = (record: RecordValue): string =>
    escape(isIndented ? MARGIN + text(record, MARGIN) : text(record, undefined));
  const problemOf = (record: RecordValue): string | undefined => {
    const path = special(record);
    return path === undefined
      ? undefined
      : `${path} is NaN or infinite, which JSON has no number for`;
  };
  const writer: FileWriter = {
    problemOf: settings.get('allowSpecialFloats') === true ? noProblem : problemOf,
    write: async function* (records) {
      let number = 0;
      for await (const batch of records) {
        const texts = batch.map((record) => {
          checkRecord(writer, record, (number += 1));
          return (number === 1 ? '[\n' : ',\n') + element(record);
        });
        if (texts.length > 0) yield Buffer.from(texts.join(''));
      }
      yield Buffer.from(number === 0 ? '[]\n' : '\n]\n');
    },
  };
  return writer;
};
