import type { Json, JsonObject } from '@penstock/schema';
import type { Case, CaseList } from './case';
import { asArray, asObject, asText, FormatError } from './members';

/** Creates a case from an entry of a list. */
export type MakeCase = (members: JsonObject) => Case;

/** The format of one case file. */
export interface CaseFile {
  /** Members of the file, beside `format`, that are not lists of cases. */
  readonly headers: readonly string[];
  /** The function that creates the cases of each list, by the file's headers. */
  readonly lists: (file: JsonObject) => Readonly<Record<string, MakeCase>>;
}

const FORMAT = '1';

/** A failing case, for an entry that cannot be run. */
const failing = (title: string, error: Error): Case => ({
  title,
  run: () => {
    throw error;
  },
});

const caseAt = (entry: Json, index: number, make: MakeCase): Case => {
  try {
    const { title, run } = make(asObject(entry));
    return { title: `${index} ${title}`, run };
  } catch (error) {
    return failing(String(index), error instanceof Error ? error : new Error(String(error)));
  }
};

/** The lists of a file; a list that the format does not know becomes one that fails. */
export const listsOf = (
  name: string,
  file: JsonObject,
  { headers, lists }: CaseFile,
): CaseList[] => {
  if (asText(file.get('format')) !== FORMAT)
    throw new FormatError(`${name} is not of format ${FORMAT}`);
  const known = lists(file);
  return [...file.keys()]
    .filter((member) => member !== 'format' && !headers.includes(member))
    .map((member) => {
      const title = `${name} ${member}`;
      const make = Object.hasOwn(known, member) ? known[member] : undefined;
      if (!make) return unknown(title, 'no list of this name is known');
      const cases = asArray(file.get(member)).map((entry, index) => caseAt(entry, index, make));
      return { name: title, cases };
    });
};

/** A list with one failing case. */
export const unknown = (name: string, reason: string): CaseList => ({
  name,
  cases: [failing(name, new FormatError(reason))],
});
