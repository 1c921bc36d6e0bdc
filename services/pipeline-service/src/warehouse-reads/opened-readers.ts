import type { WarehouseState, WorkspaceId } from '@penstock/contracts';
import { WarehouseFault, type WarehouseReader } from '@penstock/warehouses';

/** The longest time for opening a reader. */
const OPEN_LIMIT_MS = 10_000;

/** @param signal ends the reader with its connections. */
export type OpenReader = (signal: AbortSignal) => Promise<WarehouseReader>;

/** A reader of one warehouse by its configuration at one time. It ends when it is retired and not used any more. */
class OpenedReader {
  private readonly end = new AbortController();
  private readonly reader: Promise<WarehouseReader>;
  private uses = 0;
  private isRetired = false;
  private hasFailed = false;

  constructor(
    private readonly state: WarehouseState,
    open: OpenReader,
  ) {
    const timer = setTimeout(() => {
      this.end.abort();
    }, OPEN_LIMIT_MS);
    this.reader = open(this.end.signal).finally(() => {
      clearTimeout(timer);
    });
    this.reader.catch(() => (this.hasFailed = true));
  }

  get isUsed(): boolean {
    return this.uses > 0;
  }

  /** Whether it serves a warehouse as it is: one that could not be opened serves none. */
  isOf({ version }: WarehouseState): boolean {
    return !this.hasFailed && this.state.version === version;
  }

  /** @throws what opening has failed with, or what the work throws. */
  async use<T>(work: (reader: WarehouseReader) => Promise<T>): Promise<T> {
    this.uses += 1;
    try {
      return await work(await this.reader);
    } finally {
      this.uses -= 1;
      this.endIfDone();
    }
  }

  retire(): void {
    this.isRetired = true;
    this.endIfDone();
  }

  private endIfDone(): void {
    if (this.isRetired && !this.isUsed) this.end.abort();
  }
}

/**
 * The readers of warehouses that were used last, one for each workspace. With as many uses at a time as readers that are
 * kept, there is always one that can make room for another.
 */
export class OpenedReaders {
  /** That which was not used for the longest time is the first. */
  private readonly readers = new Map<WorkspaceId, OpenedReader>();

  /** @param max readers that are kept. */
  constructor(private readonly max: number) {}

  /**
   * Does something with the reader of a warehouse, which is opened when there is none, and anew when its
   * configuration has changed.
   *
   * @throws WarehouseFault; what the work throws
   */
  async use<T>(
    state: WarehouseState,
    open: OpenReader,
    work: (reader: WarehouseReader) => Promise<T>,
  ): Promise<T> {
    const reader = this.readerOf(state, open);
    try {
      return await reader.use(work);
    } catch (error) {
      if (error instanceof WarehouseFault) this.retire(state.id, reader);
      throw error;
    }
  }

  /** Ends every reader that is not used any more; the others end after their use. */
  close(): void {
    for (const [workspace, reader] of this.readers) this.retire(workspace, reader);
  }

  private readerOf(state: WarehouseState, open: OpenReader): OpenedReader {
    const present = this.readers.get(state.id);
    const isPresent = present?.isOf(state) === true;
    if (present !== undefined && !isPresent) this.retire(state.id, present);
    const reader = isPresent ? present : this.opened(state, open);
    // Behind all others.
    this.readers.delete(state.id);
    this.readers.set(state.id, reader);
    return reader;
  }

  private opened(state: WarehouseState, open: OpenReader): OpenedReader {
    if (this.readers.size >= this.max)
      for (const [workspace, reader] of this.readers)
        if (!reader.isUsed) {
          this.retire(workspace, reader);
          break;
        }
    return new OpenedReader(state, open);
  }

  private retire(workspace: WorkspaceId, reader: OpenedReader): void {
    if (this.readers.get(workspace) === reader) this.readers.delete(workspace);
    reader.retire();
  }
}
