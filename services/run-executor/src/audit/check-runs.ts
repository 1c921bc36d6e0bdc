import { type Differences, PositionSet } from '@penstock/platform';
import { type FoldedRun, runAfter } from './folded-run';
import type { StoredFact, StoredRun, StoredRuns } from './stored-runs';

/** The facts of one run so far. */
interface Fold {
  readonly run: string;
  /** Of its newest fact. */
  number: number;
  /** undefined: there is none, or one of its facts cannot follow. */
  state: FoldedRun | undefined;
  isBroken: boolean;
}

const isLiveReplay = ({ replayMode, endTime }: FoldedRun): boolean =>
  replayMode !== null && endTime === null;

/** Routers tell of a replay's numbers without a fact until it ends; facts of earlier releases name no end. */
const comparable = (image: FoldedRun, by: FoldedRun): object => {
  const { endTime, passed, failed, warnings, sequence, ...rest } = image;
  return {
    ...rest,
    ...(by.endTime !== undefined && { endTime }),
    ...(by.replayMode === null && { sequence }),
    ...(!isLiveReplay(by) && { passed, failed, warnings }),
  };
};

/**
 * Folds the stored facts of each run, and compares the result with the stored run. Keeps one fold, and those of a page
 * that have ended in it.
 */
export class RunChecks {
  /** Ids of facts that must be on the topic. */
  readonly published = new PositionSet();
  runs = 0;
  facts = 0;
  /** Facts that an executor has still to publish. */
  pending = 0;
  private current: Fold | undefined;

  constructor(
    private readonly stored: Pick<StoredRuns, 'pages' | 'runs' | 'withoutFacts'>,
    private readonly differences: Differences,
  ) {}

  async check(): Promise<void> {
    for await (const page of this.stored.pages()) {
      const whole = page.flatMap((fact) => this.take(fact));
      await this.compare(whole);
    }
    if (this.current !== undefined) await this.compare([this.current]);
    for await (const run of this.stored.withoutFacts())
      this.differences.report(`penstock_runs.runs ${run}`, 'has no facts');
  }

  /** @returns the run that has no more facts, if it is known now. */
  private take(fact: StoredFact): Fold[] {
    this.facts += 1;
    if (fact.isPublished) this.published.add(fact.id);
    else this.pending += 1;
    const { run } = fact.recorded;
    const before = this.current;
    const fold =
      before?.run === run ? before : { run, number: 0, state: undefined, isBroken: false };
    this.current = fold;
    this.apply(fold, fact);
    return before === undefined || before === fold ? [] : [before];
  }

  private apply(fold: Fold, { recorded: { number, fact } }: StoredFact): void {
    const isNext = number === fold.number + 1;
    if (!isNext) this.reportGap(fold, number - 1);
    fold.number = number;
    if (fold.isBroken) return;
    fold.state = isNext ? runAfter(fold.state, fact) : undefined;
    fold.isBroken = fold.state === undefined;
    if (isNext && fold.isBroken)
      this.report(fold, number, `cannot follow the facts before it: ${fact.type}`);
  }

  private async compare(folds: readonly Fold[]): Promise<void> {
    if (folds.length === 0) return;
    const stored = await this.stored.runs(folds.map(({ run }) => run));
    for (const fold of folds) {
      const run = stored.get(fold.run);
      if (run !== undefined) this.compareOne(fold, run);
    }
  }

  private compareOne(fold: Fold, { facts, image }: StoredRun): void {
    this.runs += 1;
    if (facts > fold.number) this.reportGap(fold, facts);
    const where = `penstock_runs.runs ${fold.run}`;
    if (facts < fold.number) this.differences.report(where, 'has fewer facts than are stored');
    const { state } = fold;
    if (state !== undefined && facts === fold.number)
      this.differences.compare(where, comparable(state, state), comparable(image, state));
  }

  private reportGap({ run, number: last }: Fold, to: number): void {
    const numbers = to === last + 1 ? '' : ` to ${String(to)}`;
    this.differences.report(
      `penstock_runs.facts ${run} number ${String(last + 1)}${numbers}`,
      'is missing',
    );
  }

  private report({ run }: Fold, number: number, what: string): void {
    this.differences.report(`penstock_runs.facts ${run} number ${String(number)}`, what);
  }
}
