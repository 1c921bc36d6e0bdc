/** How cells are separated and quoted. */
export interface CsvRules {
  /** One character. */
  readonly separator: string;
  /** A quote may stand in a cell without quotes, and a single one in a cell with quotes. */
  readonly lazyQuotes: boolean;
  /** White space at the beginning of a cell is left out, also before a quote. */
  readonly trimLeadingSpace: boolean;
}

/** The text breaks the rules of quotes. */
export class CsvSyntaxError extends Error {
  override readonly name = 'CsvSyntaxError';
}

const QUOTE = '"';

/**
 * A row, line by line: a cell in quotes may go on over several lines.
 *
 * Source of the rules: `encoding/csv` of Go, whose options the settings are named after.
 */
export class CsvRow {
  cells: string[] = [];
  /** What has been read of a cell in quotes that goes on in the next line. */
  private begun: string | undefined;
  private text = '';
  private at = 0;

  constructor(
    /** Number of its first line. */
    readonly line: number,
    private readonly rules: CsvRules,
  ) {}

  /**
   * Adds a line without its end.
   *
   * @param isLast no line follows.
   * @returns whether the row is complete.
   * @throws CsvSyntaxError
   */
  add(text: string, isLast: boolean): boolean {
    const { separator } = this.rules;
    if (this.begun === undefined && !text.includes(QUOTE) && !this.rules.trimLeadingSpace) {
      this.cells = text.split(separator);
      return true;
    }
    this.text = text;
    this.at = 0;
    let goesOn = this.begun === undefined ? this.cell(isLast) : this.quoted(this.begun, isLast);
    while (goesOn) goesOn = this.cell(isLast);
    return this.begun === undefined;
  }

  /** @returns whether another cell follows in this line. */
  private cell(isLast: boolean): boolean {
    if (this.rules.trimLeadingSpace)
      this.at += /^\s*/.exec(this.text.slice(this.at))?.[0].length ?? 0;
    if (this.text.startsWith(QUOTE, this.at)) {
      this.at += 1;
      return this.quoted('', isLast);
    }
    const { separator } = this.rules;
    const found = this.text.indexOf(separator, this.at);
    const cell = this.text.slice(this.at, found < 0 ? undefined : found);
    if (!this.rules.lazyQuotes && cell.includes(QUOTE))
      throw new CsvSyntaxError(`has a quote within cell ${this.number}, which has none around it`);
    return this.ended(cell, found >= 0, found + separator.length);
  }

  /** Reads a cell in quotes from behind its first quote, or from the beginning of its next line. */
  private quoted(before: string, isLast: boolean): boolean {
    const { separator, lazyQuotes } = this.rules;
    let cell = before;
    for (;;) {
      const found = this.text.indexOf(QUOTE, this.at);
      if (found < 0) return this.unclosed(cell + this.text.slice(this.at), isLast);
      cell += this.text.slice(this.at, found);
      this.at = found + 1;
      if (this.at >= this.text.length) return this.ended(cell, false);
      if (this.text.startsWith(separator, this.at))
        return this.ended(cell, true, this.at + separator.length);
      if (this.text.startsWith(QUOTE, this.at)) this.at += 1;
      else if (!lazyQuotes)
        throw new CsvSyntaxError(`has text behind the quote that ends cell ${this.number}`);
      cell += QUOTE;
    }
  }

  /** The line ends within quotes. */
  private unclosed(cell: string, isLast: boolean): boolean {
    if (!isLast) {
      this.begun = `${cell}\n`;
      return false;
    }
    if (!this.rules.lazyQuotes)
      throw new CsvSyntaxError(`has no quote at the end of cell ${this.number}`);
    return this.ended(cell, false);
  }

  private ended(cell: string, goesOn: boolean, at = this.at): boolean {
    this.cells.push(cell);
    this.begun = undefined;
    this.at = at;
    return goesOn;
  }

  private get number(): string {
    return String(this.cells.length + 1);
  }
}
