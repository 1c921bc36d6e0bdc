import type { ZippedFile } from '../zip/zip-archive';
import { readXml } from './xml-events';

/** What a number is shown as. */
export type NumberForm = 'number' | 'date' | 'time' | 'datetime';

/** Forms that every workbook has without describing them. Source: ECMA-376, part 1, 18.8.30. */
const BUILT_IN: readonly (readonly [from: number, to: number, form: NumberForm])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'datetime'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
];

/** Parts of a form that are shown as they are, or are no part of it: quoted, escaped, in brackets, spaces. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g;
/** Elapsed hours, minutes and seconds: a duration. */
const ELAPSED = /\[(h+|m+|s+)\]/i;

/** What a number is shown as with a code such as `yyyy-mm-dd`. */
export const formOf = (code: string): NumberForm => {
  if (ELAPSED.test(code)) return 'number';
  const [positive = ''] = code.replace(LITERALS, '').split(';');
  if (/general/i.test(positive)) return 'number';
  const hasDay = /[dy]/i.test(positive);
  const hasTime = /[hs]/i.test(positive) || /am\/pm/i.test(positive);
  if (hasDay) return hasTime ? 'datetime' : 'date';
  if (hasTime) return 'time';
  return /m/i.test(positive) ? 'date' : 'number';
};

const builtIn = (id: number): NumberForm =>
  BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';

/** Styles of a workbook at most. Source: Excel, cell formats. */
const MAX_STYLES = 65_490;

/** What numbers are shown as, by the number of the style of their cell. */
export const numberForms = async (file: ZippedFile | undefined): Promise<readonly NumberForm[]> => {
  const codes = new Map<string, NumberForm>();
  const forms: NumberForm[] = [];
  let isInCells = false;
  if (file === undefined) return forms;
  await readXml(file.read(), {
    onOpen: (name, { numFmtId: id = '0', formatCode: code = '' }) => {
      if (name === 'numFmt') codes.set(id, formOf(code));
      if (name === 'cellXfs') isInCells = true;
      if (name === 'xf' && isInCells && forms.length < MAX_STYLES)
        forms.push(codes.get(id) ?? builtIn(Number(id)));
    },
    onText: () => undefined,
    onClose: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return forms;
};

const MS_PER_DAY = 86_400_000;
/** 1899-12-31 and 1904-01-01. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 31);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
/** The 29th of February 1900, which never was. */
const NO_DAY = 60;
/** 9999-12-31, in days of either count. */
const LAST_MS = Date.UTC(9999, 11, 31) + MS_PER_DAY - 1;

const withoutZeros = (time: string): string => time.replace(/\.000$/, '');

/**
 * The text of a serial day in ISO form. A time is rounded to milliseconds; a date that is not at midnight has its time.
 *
 * @returns undefined when no day has the number.
 */
export const serialText = (
  serial: number,
  form: Exclude<NumberForm, 'number'>,
  isFrom1904: boolean,
): string | undefined => {
  const ms = Math.round(serial * MS_PER_DAY);
  const day = Math.floor(ms / MS_PER_DAY);
  const isTimeAlone = form === 'time' && day === 0;
  const first = isFrom1904 || isTimeAlone ? 0 : 1;
  if (!(day >= first) || (!isFrom1904 && day === NO_DAY)) return undefined;
  const shift = !isFrom1904 && day > NO_DAY ? MS_PER_DAY : 0;
  const at = (isFrom1904 ? EPOCH_1904_MS : EPOCH_1900_MS) + ms - shift;
  if (at > LAST_MS) return undefined;
  const [date = '', time = ''] = new Date(at).toISOString().slice(0, -1).split('T');
  if (isTimeAlone) return withoutZeros(time);
  return form === 'date' && ms % MS_PER_DAY === 0 ? date : `${date}T${withoutZeros(time)}`;
};
