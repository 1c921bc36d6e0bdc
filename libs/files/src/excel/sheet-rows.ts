import type { ZippedFile } from '../zip/zip-archive';
import { type NumberForm, serialText } from './cell-dates';
import { shownText } from './cell-text';
import type { SharedStrings } from './shared-strings';
import { xmlEvents, type XmlListener } from './xml-events';

/** A row of a sheet, or what is wrong with it. */
export type SheetRow =
  | {
      readonly row: number;
      /** Empty where a value cannot be read. */
      readonly cells: readonly string[];
      /** Why values cannot be read, by the index of their cell; absent: all can. */
      readonly problems?: ReadonlyMap<number, string>;
    }
  | { readonly row: number; readonly error: string };

/** What cells refer to. */
export interface CellContext {
  readonly strings: SharedStrings;
  readonly forms: readonly NumberForm[];
  readonly isFrom1904: boolean;
}

/** Columns of a row. Source: Excel, columns of a sheet. */
const MAX_CELLS = 16_384;
/** UTF-16 units of a row, and of what it has in the sheet itself, as that is stored. */
const MAX_ROW_LENGTH = 1_048_576;
const TOO_LONG = `is longer than ${String(MAX_ROW_LENGTH)} characters`;

/** Values of cells whose formulas have failed. Source: ECMA-376, part 1, 18.17.3, and Excel 365. */
const ERRORS: ReadonlySet<string> = new Set([
  ...['#DIV/0!', '#GETTING_DATA', '#N/A', '#NAME?', '#NULL!', '#NUM!', '#REF!', '#VALUE!'],
  ...['#BLOCKED!', '#BUSY!', '#CALC!', '#CONNECT!', '#FIELD!', '#SPILL!', '#UNKNOWN!'],
]);

const FIRST_LETTER = 64;
const LETTERS = 26;

/** The index of the column that a reference such as `AB12` names; undefined where there is none. */
const columnOf = (reference: string | undefined): number | undefined => {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * LETTERS + letter.charCodeAt(0) - FIRST_LETTER;
  return column - 1;
};

const shared = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : shownText(text);

/** Gathers rows. A formula is read as the value that it had when the file was written. */
class RowGatherer implements XmlListener {
  private rows: SheetRow[] = [];
  private row = 0;
  private cells: string[] = [];
  private length = 0;
  private error: string | undefined;
  private problems: Map<number, string> | undefined;
  private column = -1;
  private type = '';
  private style = 0;
  private text = '';
  private isText = false;
  private hints = 0;

  constructor(private readonly context: CellContext) {}

  /** What is complete since the last call. */
  take(): readonly SheetRow[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  onOpen(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.openRow(attributes['r']);
    if (name === 'c') this.openCell(attributes);
    if (name === 'rPh') this.hints += 1;
    this.isText = name === 'v' || (name === 't' && this.hints === 0);
  }

  onText(text: string): void {
    if (!this.isText) return;
    if (this.length + this.text.length + text.length <= MAX_ROW_LENGTH) this.text += text;
    else this.error ??= TOO_LONG;
  }

  onClose(name: string): void {
    this.isText = false;
    if (name === 'rPh') this.hints -= 1;
    if (name === 'c') this.closeCell();
    if (name === 'row') this.closeRow();
  }

  private openRow(number: string | undefined): void {
    this.row = number !== undefined && /^\d{1,9}$/.test(number) ? Number(number) : this.row + 1;
    this.cells = [];
    this.length = 0;
    this.error = undefined;
    this.problems = undefined;
    this.column = -1;
  }

  private openCell({
    r: reference,
    t: type = 'n',
    s: style = '0',
  }: Readonly<Record<string, string>>): void {
    this.column = columnOf(reference) ?? this.column + 1;
    this.type = type;
    this.style = Number(style);
    this.text = '';
  }

  private closeCell(): void {
    if (this.text === '') return;
    if (this.column >= MAX_CELLS) {
      this.error ??= `has more than ${String(MAX_CELLS)} cells`;
      return;
    }
    const value = this.value();
    if (value === undefined) (this.problems ??= new Map()).set(this.column, this.problem);
    while (this.cells.length < this.column) this.cells.push('');
    this.cells[this.column] = value ?? '';
    this.length += value?.length ?? 0;
  }

  private closeRow(): void {
    if (this.length > MAX_ROW_LENGTH) this.error ??= TOO_LONG;
    if (this.error !== undefined) this.rows.push({ row: this.row, error: this.error });
    else if (this.cells.length > 0)
      this.rows.push({
        ...{ row: this.row, cells: this.cells },
        ...(this.problems && { problems: this.problems }),
      });
  }

  private get problem(): string {
    return this.type === 'e' && ERRORS.has(this.text)
      ? `holds the error ${this.text}`
      : 'holds no value that can be read';
  }

  /** @returns undefined for an error, a day that never was, or a text that is missing. */
  private value(): string | undefined {
    switch (this.type) {
      case 's':
        return /^\d{1,9}$/.test(this.text)
          ? shared(this.context.strings.get(Number(this.text)))
          : undefined;
      case 'str':
      case 'inlineStr':
        return shownText(this.text);
      case 'd':
        return this.text;
      case 'b':
        return this.text === '1' ? 'true' : 'false';
      case 'e':
        return undefined;
      default:
        return this.number();
    }
  }

  private number(): string | undefined {
    const number = Number(this.text);
    if (this.text.trim() === '' || !Number.isFinite(number)) return undefined;
    const form = this.context.forms[this.style] ?? 'number';
    return form === 'number'
      ? String(number === 0 ? 0 : number)
      : serialText(number, form, this.context.isFrom1904);
  }
}

/**
 * The rows of a sheet that have a cell with a value, in batches. What is missing before the last one is empty.
 *
 * @throws FileFault when the sheet is damaged.
 */
export async function* sheetRows(
  file: ZippedFile,
  context: CellContext,
): AsyncGenerator<readonly SheetRow[]> {
  const gatherer = new RowGatherer(context);
  for await (const _ of xmlEvents(file.read(), gatherer)) {
    const rows = gatherer.take();
    if (rows.length > 0) yield rows;
  }
}
