import type { PipelineId } from '@penstock/contracts';
import type { Stored } from './storage.fixture';

/** The counts of one pipeline that the model allows. */
export class ExpectedCounts {
  private readonly certain = new Map<string, number>();
  private readonly possible = new Map<string, number>();
  private total = 0;

  /** Adds an event, which must be counted once, under one of the names. */
  add(names: readonly string[]): void {
    this.total += 1;
    const counts = names.length === 1 ? this.certain : this.possible;
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  faults(pipeline: PipelineId, counts: ReadonlyMap<string, number>): string[] {
    const faults: string[] = [];
    const names = new Set([...counts.keys(), ...this.certain.keys()]);
    let sum = 0;
    for (const name of names) {
      const is = counts.get(name) ?? 0;
      const least = this.certain.get(name) ?? 0;
      const most = least + (this.possible.get(name) ?? 0);
      sum += is;
      if (is >= least && is <= most) continue;
      const must = least === most ? `${least}` : `${least} to ${most}`;
      faults.push(`${pipeline}: ${name} is ${is} instead of ${must}`);
    }
    if (sum !== this.total) faults.push(`${pipeline} has counted ${sum} of ${this.total} events`);
    return faults;
  }
}

/** The stored counts by pipeline and `State Code`. */
export const countsByPipeline = ({ counts }: Stored): Map<PipelineId, Map<string, number>> => {
  const byPipeline = new Map<PipelineId, Map<string, number>>();
  for (const { pipeline, state, code, count } of counts) {
    const own = byPipeline.get(pipeline) ?? new Map<string, number>();
    byPipeline.set(pipeline, own);
    own.set(`${state} ${code}`.trim(), count);
  }
  return byPipeline;
};
