import { textOf, type Type, type Value } from '@penstock/schema';
import { storedText, xmlText } from './cell-text';

/** UTF-16 units. Source: Excel, characters of a cell. */
export const MAX_CELL_LENGTH = 32_767;
/** Digits that a number of Excel keeps. */
const MAX_DIGITS = 15;
const MS_PER_DAY = 86_400_000;
/** The day before all that Excel counts, had there been no 29 February 1900. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
/** The first day that all programs count alike. */
const FIRST_DATE = '1900-03-01';

/** Indexes of the forms in the styles of a written workbook. */
const STYLES = { date: 1, datetime: 2, time: 3 } as const;

/** The content of a cell; a number may have a form. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'boolean'; readonly text: '0' | '1' }
  | { readonly kind: 'number'; readonly text: string; readonly style?: number };

const isExact = (text: string): boolean =>
  text.replace(/\D/g, '').replace(/^0+/, '').length <= MAX_DIGITS && String(Number(text)) === text;

const number = (text: string): Cell =>
  isExact(text) ? { kind: 'number', text } : { kind: 'text', text };

/** @param ms since the epoch of Excel. */
const serial = (ms: number, style: number): Cell => ({
  kind: 'number',
  text: String(ms / MS_PER_DAY),
  style,
});

const isMilliseconds = (text: string): boolean => !/\.\d{4}/.test(text);

const moment = (text: string): Cell =>
  text >= FIRST_DATE && isMilliseconds(text)
    ? serial(Date.parse(text) - EPOCH_MS, STYLES.datetime)
    : { kind: 'text', text };

/**
 * The cell of a value. Numbers, dates and times that a cell would not keep to the last digit are written as texts.
 *
 * @param value neither null nor missing.
 */
export const cellOf = (type: Type, value: Value): Cell => {
  const text = textOf(type, value);
  switch (type.kind) {
    case 'boolean':
      return { kind: 'boolean', text: value === true ? '1' : '0' };
    case 'int':
    case 'year':
    case 'decimal':
      return number(text);
    case 'float':
      return Number.isFinite(value) ? { kind: 'number', text } : { kind: 'text', text };
    case 'date':
      return text >= FIRST_DATE
        ? serial(Date.parse(text) - EPOCH_MS, STYLES.date)
        : { kind: 'text', text };
    case 'datetime':
      return moment(text);
    case 'time':
      return isMilliseconds(text)
        ? serial(Date.parse(`1970-01-01T${text}Z`), STYLES.time)
        : { kind: 'text', text };
    default:
      return { kind: 'text', text };
  }
};

/** The XML of a cell; none for an empty text. */
export const cellXml = (cell: Cell, reference: string): string => {
  if (cell.text === '') return '';
  const place = `<c r="${reference}"`;
  switch (cell.kind) {
    case 'text':
      return `${place} t="inlineStr"><is><t xml:space="preserve">${xmlText(storedText(cell.text))}</t></is></c>`;
    case 'boolean':
      return `${place} t="b"><v>${cell.text}</v></c>`;
    case 'number':
      return `${place}${cell.style === undefined ? '' : ` s="${String(cell.style)}"`}><v>${cell.text}</v></c>`;
  }
};
