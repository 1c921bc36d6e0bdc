import type { ProfileSchema, RunPosition } from '@penstock/contracts';
import type { Filter } from '@penstock/filters';
import { newRecord } from '@penstock/schema';
import {
  type ScannedProfile,
  type ScanWanted,
  WarehouseFault,
  type WarehouseReader,
} from '@penstock/warehouses';
import { Away } from '../engine/away';
import { Outdated } from '../engine/outdated';
import type {
  ReadingWanted,
  RecordReading,
  RecordSource,
  SourcePage,
  SourceRecord,
} from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import { withDeadline } from './with-deadline';

/** How the profiles of an export are read. */
export interface ProfileSourceOptions {
  /** @param signal ends the reader. */
  readonly openReader: (signal: AbortSignal) => Promise<WarehouseReader>;
  readonly profiles: ProfileSchema;
  /** By what is read of each profile; `null`: all match. */
  readonly filter: Filter | null;
  /** Path of the property by which they are ordered; `null`: by their ids. */
  readonly orderBy: string | null;
  /** Profiles of a page. */
  readonly pageSize: number;
  /** Milliseconds until the warehouse must have answered. */
  readonly deadlineMs: number;
  /** Milliseconds until profiles in an order must come, the first ones, when all are sorted, and those after them. */
  readonly sortedMs: number;
}

/** What a fault of the warehouse means for an export. */
const asRunError = (error: unknown): unknown => {
  if (!(error instanceof WarehouseFault)) return error;
  const { kind, message } = error;
  switch (kind) {
    case 'unreachable':
    case 'busy':
    case 'locked':
    // The configuration that lets readers in is known here sooner or later.
    case 'fenced':
      return new Away(message, undefined, { cause: error });
    case 'outdated':
      return new Outdated(message, { cause: error });
    default:
      return new WholeRunError('Receive', 'InvalidWarehouse', message, { cause: error });
  }
};

/** @throws Away, Outdated, WholeRunError */
const atReader = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asRunError(error);
  }
};

const NOTHING = newRecord();

/** Made for each profile: without copying from other objects. */
const recordOf = ({ id, attributes }: ScannedProfile): SourceRecord => ({
  id,
  updatedAt: null,
  fault: null,
  values: attributes ?? NOTHING,
  isLeftOut: attributes === null,
});

/** What the pages of a reading are made with. */
interface Pages {
  readonly reader: WarehouseReader;
  readonly wanted: ScanWanted;
  readonly total: number | null;
  readonly from: RunPosition;
  readonly signal: AbortSignal;
}

/** The profiles of a warehouse. By their ids a reading goes on behind any of them; in another order it cannot. */
export class ProfileRecords implements RecordSource {
  constructor(private readonly options: ProfileSourceOptions) {}

  async open({ from, schema, signal }: ReadingWanted): Promise<RecordReading> {
    const { openReader, profiles, filter, orderBy } = this.options;
    const end = new AbortController();
    const until = AbortSignal.any([signal, end.signal]);
    const close = (): Promise<void> => Promise.resolve(end.abort());
    try {
      const reader = await this.inTime(signal, () => openReader(until));
      const total = await this.total(reader, signal);
      const wanted = { profiles, properties: schema, filter };
      const pages = { reader, wanted, total, from, signal: until };
      return {
        ...{ schema, warnings: [], restarted: null, close },
        pages: orderBy === null ? this.byIds(pages) : this.inOrder(pages, orderBy),
      };
    } catch (error) {
      await close();
      signal.throwIfAborted();
      throw error;
    }
  }

  /** An export of profiles that are too many to be counted in time only does not tell how long it will take. */
  private async total(reader: WarehouseReader, signal: AbortSignal): Promise<number | null> {
    try {
      return await this.inTime(signal, (limit) => reader.countProfiles(limit));
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      return null;
    }
  }

  private async *byIds({ reader, wanted, total, from, signal }: Pages): AsyncGenerator<SourcePage> {
    const { pageSize } = this.options;
    let after = from.kind === 'profile' ? from.id : undefined;
    let size = pageSize;
    for (let isLast = false; !isLast;) {
      const page = await this.inTime(signal, (limit) =>
        reader.scan({ ...wanted, after, limit: size }, limit),
      );
      const { profiles } = page;
      ({ isLast } = page);
      // The warehouse looks at as many as are asked for, also where fewer are too large together.
      size = Math.min(pageSize, Math.max(1, 2 * profiles.length));
      after = profiles.at(-1)?.id ?? after;
      const positionAfter = (count: number): RunPosition => ({
        kind: 'profile',
        id: profiles[count - 1]?.id ?? '',
      });
      if (profiles.length > 0)
        yield { records: profiles.map(recordOf), positionAfter, extent: { total, share: null } };
    }
  }

  private async *inOrder(
    { reader, wanted, total, signal }: Pages,
    path: string,
  ): AsyncGenerator<SourcePage> {
    const extent = { total, share: null };
    const positionAfter = (): RunPosition => ({ kind: 'file', isComplete: false });
    const parts = reader.scanInOrder(wanted, path, signal)[Symbol.asyncIterator]();
    for (;;) {
      const { sortedMs } = this.options;
      const next = await withDeadline(sortedMs, signal, () => atReader(() => parts.next()));
      if (next.done === true) return;
      yield { records: next.value.map(recordOf), positionAfter, extent };
    }
  }

  private inTime<T>(signal: AbortSignal, read: (limit: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.options.deadlineMs, signal, (limit) => atReader(() => read(limit)));
  }
}
