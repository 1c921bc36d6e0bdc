const PAGE_BYTES = 65_536;

/** Cells shared by the two threads: whether the guest may grow beyond its easy size, and its size in pages. */
const GROWTH = 0;
const PAGES = 1;
const GRANTED = 1;

/** The part of `WebAssembly.Memory` that is used here. */
export interface GuestMemory {
  readonly buffer: { readonly byteLength: number };
  grow(pages: number): number;
}

/** Limits for the memory of a guest. */
export interface GuestSizes {
  /** Size up to which it may grow at any time. */
  readonly easyBytes: number;
  /** Maximal size. */
  readonly mostBytes: number;
}

/** Allocates the shared cells of one instance. */
export const newAllowanceMemory = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/**
 * Replaces a guest's `memory.grow`: the guest may grow up to its easy size at any time; beyond that it waits for
 * permission. Used in the guest's thread.
 */
export class Allowance {
  private readonly cells: Int32Array<SharedArrayBuffer>;

  /** @param ask requests permission; called before the wait, which blocks the thread. */
  constructor(
    memory: SharedArrayBuffer,
    private readonly sizes: GuestSizes,
    private readonly ask: () => void,
  ) {
    this.cells = new Int32Array(memory);
  }

  /**
   * Grows the memory as the instruction does.
   *
   * @returns the previous number of pages, or -1 when the memory cannot grow.
   */
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

/** The supervisor's side of an {@link Allowance}. */
export class AllowanceGiver {
  private readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.cells = new Int32Array(memory);
  }

  /** Whether the guest may grow up to its maximal size. */
  get isGranted(): boolean {
    return Atomics.load(this.cells, GROWTH) === GRANTED;
  }

  /** Bytes of the guest's memory. It never shrinks. */
  get bytes(): number {
    return Atomics.load(this.cells, PAGES) * PAGE_BYTES;
  }

  grant(): void {
    Atomics.store(this.cells, GROWTH, GRANTED);
    Atomics.notify(this.cells, GROWTH);
  }
}
