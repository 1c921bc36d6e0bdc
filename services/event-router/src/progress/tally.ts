/** The count of one name within a minute. */
interface Cell {
  /** The name that is written. */
  readonly name: string;
  count: number;
}

/** Length of the periods by which counts are grouped. */
const MINUTE_MS = 60_000;

/**
 * Counts by two keys and the minute. The name of a count is built once per minute, not at each addition.
 */
export class Tally<First, Second> {
  private readonly cells: Cell[] = [];
  private current = new Map<First, Map<Second, Cell>>();
  private minute = NaN;

  /** @param nameOf builds a name from both keys and the minute; counts of equal names are added. */
  constructor(private readonly nameOf: (first: First, second: Second, nowMs: number) => string) {}

  /** @param nowMs milliseconds since 1970. */
  add(first: First, second: Second, nowMs: number, times = 1): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.current = new Map();
    }
    const bySecond = this.current.get(first);
    const cell = bySecond?.get(second);
    if (cell !== undefined) cell.count += times;
    else this.begin(first, second, { name: this.nameOf(first, second, nowMs), count: times });
  }

  /** Name → count. */
  get written(): ReadonlyMap<string, number> {
    const written = new Map<string, number>();
    for (const { name, count } of this.cells) written.set(name, (written.get(name) ?? 0) + count);
    return written;
  }

  private begin(first: First, second: Second, cell: Cell): void {
    this.cells.push(cell);
    const bySecond = this.current.get(first);
    if (bySecond === undefined) this.current.set(first, new Map([[second, cell]]));
    else bySecond.set(second, cell);
  }
}
