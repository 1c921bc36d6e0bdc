/** What XML has no character for, what its readers make a line feed of, and what would be read as such an escape. */
const UNWRITABLE = /[\u0001-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

const hex = (unit: string): string =>
  unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');

/** A text as workbooks store it. Source: ECMA-376, part 1, 22.9.2.19, `ST_Xstring`. */
export const storedText = (text: string): string =>
  text.replace(UNWRITABLE, (unit) => `_x${hex(unit)}_`);

/** The text that a workbook has stored so. */
export const shownText = (stored: string): string =>
  stored.includes('_x')
    ? stored.replace(ESCAPE, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    : stored;

/** A text within XML. */
export const xmlText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);
