import { wellFormedCell } from './well-formed';
/** No warehouse keeps a text with NUL: one that has it is nowhere. */
const NUL = '\u0000';

/** Whether a text can be in a warehouse. */
export const canBeKept = (text: string): boolean => !text.includes(NUL);

/** A bind of rows of texts, for {@link selectListed}. */
export const listed = (rows: readonly (readonly (string | null)[])[]): string =>
  JSON.stringify(rows.map((row) => row.map(wellFormedCell)));

/** SQL of the rows of a bind of {@link listed}: as many columns as there are names. */
export const selectListed = (...names: readonly string[]): string => {
  const columns = names.map((name, index) => `f.VALUE[${String(index)}]::VARCHAR AS ${name}`);
  return `(SELECT ${columns.join(', ')} FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS f)`;
};
