import { END_STATES, PIPELINE_STEPS, type PipelineStep } from '@penstock/contracts';

type EndState = (typeof END_STATES)[number];

/** A sum of counts of one kind. */
export interface CountedRow {
  /** `null`: counted by pipeline. Else: counted for an audience in which the pipeline was enabled, or disabled. */
  readonly enabled: boolean | null;
  /** State of a delivery, or kind of a base. */
  readonly name: string;
  /** Empty for a base. */
  readonly step: string;
  readonly code: string;
  /** Of a count by pipeline: see the view `pipeline_counts`. */
  readonly plain: boolean;
  readonly count: number;
}

/** Number of events with one ending. */
export interface Ended {
  readonly state: EndState;
  readonly step: PipelineStep;
  readonly code: string;
  readonly count: number;
}

const isStep = (text: string): text is PipelineStep =>
  (PIPELINE_STEPS as readonly string[]).includes(text);

/** Adds up the counts of pipelines as the view `pipeline_counts` does: see there for what they mean. */
export class CountedEvents {
  accepted = 0;
  /** Deliveries that were opened. */
  opened = 0;
  private closed = 0;
  private readonly byEnding = new Map<string, Ended>();

  /** Matched and not ended. */
  get open(): number {
    return this.opened - this.closed;
  }

  /** Without numbers of 0. */
  get endings(): readonly Ended[] {
    return [...this.byEnding.values()].filter(({ count }) => count !== 0);
  }

  add(row: CountedRow): void {
    if (row.enabled !== null) this.addBase(row, row.enabled);
    else if (row.name === 'Matched') this.addMatched(row);
    else this.addEnding(row);
  }

  private addBase({ name, count }: CountedRow, isEnabled: boolean): void {
    this.accepted += count;
    if (name === 'Duplicate') this.end('Duplicate', 'Receive', '', count);
    else if (name === 'DifferentBody') this.end('Duplicate', 'Receive', name, count);
    else if (name === 'Suppressed') this.end('Filtered', 'Filter', name, count);
    else this.end('Filtered', 'Filter', isEnabled ? '' : 'Disabled', count);
  }

  private addMatched({ plain, count }: CountedRow): void {
    this.end('Filtered', 'Filter', '', -count);
    if (plain) this.accepted -= count;
    else this.opened += count;
  }

  private addEnding({ name, step, code, plain, count }: CountedRow): void {
    this.end(name as EndState, isStep(step) ? step : 'Finalize', code, count);
    if (plain) this.accepted += count;
    else if (name === 'Filtered' && code === 'OptedOut') this.end('Filtered', 'Filter', '', -count);
    else this.closed += count;
  }

  private end(state: EndState, step: PipelineStep, code: string, count: number): void {
    const key = `${state}|${step}|${code}`;
    const before = this.byEnding.get(key)?.count ?? 0;
    this.byEnding.set(key, { state, step, code, count: before + count });
  }
}
