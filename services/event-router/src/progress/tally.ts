/** How often one thing came about within a minute. */
interface Cell {
  /** Under which it is written. */
  readonly name: string;
  count: number;
}

/** Milliseconds of what is counted together. */
const MINUTE_MS = 60_000;

/**
 * Counts what comes about, by two keys and the minute. Counting again what was counted in the same minute makes no text:
 * the name is made when it is counted first.
 */
export class Tally<First, Second> {
  private readonly cells: Cell[] = [];
  private current = new Map<First, Map<Second, Cell>>();
  private minute = NaN;

  /** @param nameOf names in which keys and minute can be told apart; equal ones are counted together. */
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

  /** Name → how often. */
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
