import type { PipelineId } from '@penstock/contracts';
import type { Audience, BaseKind, Counted, EndState } from '../changes';

/** Number of events with an ending for a pipeline; of state `Open`: number of open deliveries. Never 0. */
export interface PipelineCount {
  readonly pipeline: PipelineId;
  readonly state: EndState | 'Open';
  readonly code: string;
  readonly count: number;
}

interface AllCounts {
  readonly counters: ReadonlyMap<string, number>;
  readonly plain: ReadonlyMap<string, number>;
  readonly bases: ReadonlyMap<string, number>;
  readonly audiences: ReadonlyMap<string, Audience>;
}

type Kind = Pick<PipelineCount, 'state' | 'code'>;
type BaseEnding = Counted & { readonly state: EndState };

const OPEN: Kind = { state: 'Open', code: '' };
const NOT_MATCHED: BaseEnding = { state: 'Filtered', step: 'Filter', code: '' };
const DISABLED: BaseEnding = { state: 'Filtered', step: 'Filter', code: 'Disabled' };

const BASES: Readonly<Record<Exclude<BaseKind, 'New'>, BaseEnding>> = {
  Duplicate: { state: 'Duplicate', step: 'Receive', code: '' },
  DifferentBody: { state: 'Duplicate', step: 'Receive', code: 'DifferentBody' },
  Suppressed: { state: 'Filtered', step: 'Filter', code: 'Suppressed' },
};

/** The pipelines of an audience, each with the ending of an event of this kind unless it has matched. */
export const endingsOfBase = (
  { enabled, disabled }: Audience,
  kind: BaseKind,
): readonly (readonly [PipelineId, BaseEnding])[] => {
  const given = kind === 'New' ? undefined : BASES[kind];
  return [
    ...enabled.map((pipeline) => [pipeline, given ?? NOT_MATCHED] as const),
    ...disabled.map((pipeline) => [pipeline, given ?? DISABLED] as const),
  ];
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

/** The parts of a {@link countKey}. */
const partsOf = (key: string) => {
  const [pipeline, state, , ...rest] = key.split('|') as [PipelineId, EndState | 'Matched'];
  return { pipeline, state, code: (rest as string[]).slice(0, -1).join('|') };
};

const addCounters = (sums: Sums, counters: AllCounts['counters']): void => {
  for (const [key, count] of counters) {
    const { pipeline, state, code } = partsOf(key);
    const isOptedOut = state === 'Filtered' && code === 'OptedOut';
    if (state !== 'Matched') sums.add(pipeline, { state, code }, count);
    if (state === 'Matched' || isOptedOut) sums.add(pipeline, NOT_MATCHED, -count);
    if (!isOptedOut) sums.add(pipeline, OPEN, state === 'Matched' ? count : -count);
  }
};

const addPlain = (sums: Sums, plain: AllCounts['plain']): void => {
  for (const [key, count] of plain) {
    const { pipeline, state, code } = partsOf(key);
    if (state !== 'Matched') sums.add(pipeline, { state, code }, count);
  }
};

const addBases = (sums: Sums, { bases, audiences }: AllCounts): void => {
  for (const [key, count] of bases) {
    const [id, kind] = key.split('|') as [string, BaseKind];
    const audience = audiences.get(id);
    if (audience === undefined) continue;
    for (const [pipeline, ending] of endingsOfBase(audience, kind))
      sums.add(pipeline, ending, count);
  }
};

/**
 * The counts by pipeline. A new event is opted out, matched or filtered for an enabled pipeline; the first two are
 * counted by pipeline, so that the filtered ones are the difference. Every other ending counted by pipeline follows a
 * match, except for those that were counted for an audience before (`plain`), which are taken as they are.
 */
export const pipelineCounts = (counted: AllCounts): PipelineCount[] => {
  const sums = new Sums();
  addCounters(sums, counted.counters);
  addPlain(sums, counted.plain);
  addBases(sums, counted);
  return sums.list;
};
