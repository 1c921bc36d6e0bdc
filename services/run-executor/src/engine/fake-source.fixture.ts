import type { Microtime, RunPosition } from '@penstock/contracts';
import { newRecord, type Schema } from '@penstock/schema';
import { Away } from './away';
import {
  type RecordFault,
  type RecordReading,
  type RecordSource,
  type SourcePage,
  type SourceRecord,
  UNKNOWN_EXTENT,
} from './record-source';

export const NO_SCHEMA: Schema = { kind: 'object', properties: [] };

/** What becomes of a record of the specs; `value` is what is written. */
export interface Plan {
  readonly id: string | null;
  /** Seconds after the start of 2026; `null`: none. */
  readonly at: number | null;
  readonly fate: 'ok' | 'unread' | 'invalid' | 'filtered' | 'broken' | 'unfit';
  readonly value: number;
}

export const timeOf = (at: number): Microtime =>
  `${new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString().slice(0, -1)}000Z`;

const faultOf = ({ id, fate }: Pick<Plan, 'id' | 'fate'>, index: number): RecordFault | null => {
  const place = `record ${String(index + 1)}`;
  if (id === null) return { code: 'InvalidId', message: 'has no id', place };
  return fate === 'unread' ? { code: 'InvalidRecord', message: 'cannot be read', place } : null;
};

export const recordOf = ({ id, at, fate, value }: Plan, index = 0): SourceRecord => ({
  id,
  updatedAt: at === null ? null : timeOf(at),
  values: Object.assign(newRecord(), { fate, value }),
  fault: faultOf({ id, fate }, index),
});

export interface FakeSourceOptions {
  readonly pageSizes: readonly number[];
  /** Whether a reading can go on elsewhere than at the start. */
  readonly canResume: boolean;
  /** Numbers of pages, over all readings, before which the source is away. */
  readonly awayAt: readonly number[];
  /** Called before each page. */
  readonly onPage: () => Promise<void>;
}

/** A source that gives these records in pages. */
export class FakeSource implements RecordSource {
  private given = 0;

  constructor(
    private readonly records: readonly SourceRecord[],
    private readonly options: FakeSourceOptions,
  ) {}

  open({ from }: { readonly from: RunPosition }): Promise<RecordReading> {
    const isBegun = from.kind !== 'start';
    const at = from.kind === 'record' && this.options.canResume ? from.record : 0;
    return Promise.resolve({
      schema: NO_SCHEMA,
      warnings: [],
      restarted: isBegun && !this.options.canResume ? 'cannot go on' : null,
      pages: this.pages(at),
      close: () => Promise.resolve(),
    });
  }

  private async *pages(first: number): AsyncGenerator<SourcePage> {
    const { pageSizes, awayAt, onPage } = this.options;
    for (let at = first, page = 0; at < this.records.length; page += 1) {
      await onPage();
      this.given += 1;
      if (awayAt.includes(this.given)) throw new Away('the source is away');
      const start = at;
      const size = pageSizes[page % pageSizes.length] ?? 1;
      at += size;
      yield {
        extent: UNKNOWN_EXTENT,
        records: this.records.slice(start, at),
        positionAfter: (count) => ({
          ...{ kind: 'record', record: start + count },
          ...{ size: null, modifiedAt: null, tag: null },
        }),
      };
    }
  }
}
