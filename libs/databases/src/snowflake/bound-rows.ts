/** Binds of a request: below what the driver and the server take without a stage. */
const MAX_BINDS = 50_000;
/** Characters of the binds of a request, as far as a row lets it. */
const MAX_CHARACTERS = 4_194_304;

/** A row of texts for the placeholders of a statement. */
export type BoundRow = readonly (string | null)[];

/** Rows of texts in parts of which each fits into one request. */
export function* boundParts(rows: Iterable<BoundRow>): Generator<readonly BoundRow[]> {
  let part: BoundRow[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = row.reduce((sum, each) => sum + (each?.length ?? 0), 0);
    const isFull = (part.length + 1) * row.length > MAX_BINDS || characters + size > MAX_CHARACTERS;
    if (part.length > 0 && isFull) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(row);
    characters += size;
  }
  yield part;
}
