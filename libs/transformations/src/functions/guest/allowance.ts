const PAGE_BYTES = 65_536;

/** Where the two threads meet: whether the guest may grow beyond its easy size, and how large it is, in pages. */
const GROWTH = 0;
const PAGES = 1;
const GRANTED = 1;

/** Memory of a guest, as far as it is of interest. */
export interface GuestMemory {
  readonly buffer: { readonly byteLength: number };
  grow(pages: number): number;
}

/** Sizes of a guest's memory. */
export interface GuestSizes {
  /** What it may have at any time. */
  readonly easyBytes: number;
  /** What it may have at all. */
  readonly mostBytes: number;
}

/** For one instance. */
export const newAllowanceMemory = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/**
 * What stands in for `memory.grow` of a guest: up to an easy size it grows as it likes, beyond that it waits until it is
 * let. In the thread of the guest.
 */
export class Allowance {
  private readonly cells: Int32Array<SharedArrayBuffer>;

  /** @param ask is called before the wait, which blocks the thread. */
  constructor(
    memory: SharedArrayBuffer,
    private readonly sizes: GuestSizes,
    private readonly ask: () => void,
  ) {
    this.cells = new Int32Array(memory);
  }

  /** @returns the pages before, or -1 when the memory cannot grow by so many: what the instruction gives. */
  grow(memory: GuestMemory, pages: number): number {
    const before = memory.buffer.byteLength / PAGE_BYTES;
    const after = before + (pages >>> 0);
    if (after * PAGE_BYTES > this.sizes.mostBytes) return -1;
    if (after * PAGE_BYTES > this.sizes.easyBytes) this.wait();
    try {
      memory.grow(after - before);
    } catch {
      return -1;
    }
    Atomics.store(this.cells, PAGES, after);
    return before;
  }

  private wait(): void {
    if (Atomics.load(this.cells, GROWTH) === GRANTED) return;
    this.ask();
    Atomics.wait(this.cells, GROWTH, 0);
  }
}

/** The other end of an {@link Allowance}. */
export class AllowanceGiver {
  private readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.cells = new Int32Array(memory);
  }

  /** The guest may have all that its memory can hold. */
  get isGranted(): boolean {
    return Atomics.load(this.cells, GROWTH) === GRANTED;
  }

  /** Of the guest's memory. It never shrinks. */
  get bytes(): number {
    return Atomics.load(this.cells, PAGES) * PAGE_BYTES;
  }

  grant(): void {
    Atomics.store(this.cells, GROWTH, GRANTED);
    Atomics.notify(this.cells, GROWTH);
  }
}
