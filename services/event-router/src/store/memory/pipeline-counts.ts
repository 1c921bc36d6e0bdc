import type { PipelineId } from '@penstock/contracts';
import type { Audience, BaseKind, EndState } from '../changes';

/** Number of events with an ending for a pipeline; of state `Open`: number of open deliveries. Never 0. */
export interface PipelineCount {
  readonly pipeline: PipelineId;
  readonly state: EndState | 'Open';
  readonly code: string;
  readonly count: number;
}

interface Counted {
  readonly counters: ReadonlyMap<string, number>;
  readonly bases: ReadonlyMap<string, number>;
  readonly audiences: ReadonlyMap<string, Audience>;
}

type Kind = Pick<PipelineCount, 'state' | 'code'>;

const OPEN: Kind = { state: 'Open', code: '' };
const NOT_MATCHED: Kind = { state: 'Filtered', code: '' };

const BASES: Readonly<Record<Exclude<BaseKind, 'New'>, Kind>> = {
  Duplicate: { state: 'Duplicate', code: '' },
  DifferentBody: { state: 'Duplicate', code: 'DifferentBody' },
  Suppressed: { state: 'Filtered', code: 'Suppressed' },
};

class Sums {
  private readonly counts = new Map<string, PipelineCount>();

  add(pipeline: PipelineId, { state, code }: Kind, count: number): void {
    const key = [pipeline, state, code].join('|');
    const before = this.counts.get(key)?.count ?? 0;
    this.counts.set(key, { pipeline, state, code, count: before + count });
  }

  get list(): PipelineCount[] {
    return [...this.counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, count]) => count)
      .filter(({ count }) => count !== 0);
  }
}

const addCounters = (sums: Sums, counters: Counted['counters']): void => {
  for (const [key, count] of counters) {
    const [pipeline, state, , ...rest] = key.split('|') as [PipelineId, EndState | 'Matched'];
    const code = (rest as string[]).slice(0, -1).join('|');
    const isOptedOut = state === 'Filtered' && code === 'OptedOut';
    if (state !== 'Matched') sums.add(pipeline, { state, code }, count);
    if (state === 'Matched' || isOptedOut) sums.add(pipeline, NOT_MATCHED, -count);
    if (!isOptedOut) sums.add(pipeline, OPEN, state === 'Matched' ? count : -count);
  }
};

const addBases = (sums: Sums, { bases, audiences }: Counted): void => {
  for (const [key, count] of bases) {
    const [audience, kind] = key.split('|') as [string, BaseKind];
    const { enabled = [], disabled = [] } = audiences.get(audience) ?? {};
    const kinds = kind === 'New' ? undefined : BASES[kind];
    for (const pipeline of enabled) sums.add(pipeline, kinds ?? NOT_MATCHED, count);
    for (const pipeline of disabled)
      sums.add(pipeline, kinds ?? { state: 'Filtered', code: 'Disabled' }, count);
  }
};

/**
 * The counts by pipeline. A new event is opted out, matched or filtered for an enabled pipeline; the first two are
 * counted by pipeline, so that the filtered ones are the difference. Every other ending counted by pipeline follows a
 * match.
 */
export const pipelineCounts = (counted: Counted): PipelineCount[] => {
  const sums = new Sums();
  addCounters(sums, counted.counters);
  addBases(sums, counted);
  return sums.list;
};
