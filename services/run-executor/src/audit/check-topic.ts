import { readRunFact, type RecordedRunFact, TOPIC } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { canonical, type Differences, PositionSet } from '@penstock/platform';
import type { FactPlace, StoredFact, StoredRuns } from './stored-runs';

/** Facts that are named by one query. */
const PLACES_AT_ONCE = 1_000;

interface OnTopic {
  readonly offset: number;
  readonly key: string;
  readonly fact: RecordedRunFact;
}

const placeText = ({ run, number }: FactPlace): string => `${run} number ${String(number)}`;

/** A stored fact as it was published. */
const published = ({ recorded }: StoredFact): object => ({ ...recorded, key: recorded.pipeline });

/**
 * Compares the topic of runs with the stored facts: each one that was published, after the one before it, repetitions
 * unchanged. Keeps three bits of each fact.
 */
export class TopicChecks {
  private readonly seen = new PositionSet();
  /** Facts that were not there yet when one came that follows them. */
  private readonly passed = new PositionSet();

  /**
   * @param exists whether a workspace is there; runs of one that was deleted are no longer stored.
   */
  constructor(
    private readonly stored: Pick<StoredRuns, 'at' | 'runs' | 'places' | 'isForgotten'>,
    private readonly exists: (workspace: string) => Promise<boolean>,
    private readonly differences: Differences,
  ) {}

  async take(records: readonly LogRecord[]): Promise<void> {
    const facts: OnTopic[] = [];
    for (const { key, value, offset } of records) {
      const fact = readRunFact(value);
      if (fact === undefined) this.differences.report(this.at(offset), 'is not a fact of a run');
      else facts.push({ key, offset, fact });
    }
    const stored = new Map(
      (await this.stored.at(facts.map(({ fact }) => fact))).map((each) => [
        placeText(each.recorded),
        each,
      ]),
    );
    for (const each of facts) {
      const found = stored.get(placeText(each.fact));
      if (found === undefined) await this.takeUnknown(each.fact);
      else this.takeKnown(each, found);
    }
  }

  /** Reports what is not there. @param published ids of the facts that must be. */
  async end(ids: PositionSet): Promise<void> {
    let page: number[] = [];
    const report = async (): Promise<void> => {
      for (const place of await this.stored.places(page))
        this.differences.report(`${TOPIC.runs} ${placeText(place)}`, 'is missing');
      page = [];
    };
    for (const id of ids.without(this.seen)) {
      page.push(id);
      if (page.length === PLACES_AT_ONCE) await report();
    }
    if (page.length > 0) await report();
  }

  private takeKnown({ key, fact, offset }: OnTopic, stored: StoredFact): void {
    const { id, previous } = stored;
    const [actual, expected] = [{ ...fact, key }, published(stored)];
    const place = placeText(fact);
    if (this.seen.has(id)) {
      if (canonical(actual) !== canonical(expected))
        this.differences.report(this.at(offset), `is ${place} again, with different content`);
      return;
    }
    this.seen.add(id);
    if (previous !== null && !this.seen.has(previous)) this.passed.add(previous);
    if (this.passed.has(id))
      this.differences.report(`${TOPIC.runs} ${place}`, 'comes after a fact that follows it');
    this.differences.compare(`penstock_runs.facts ${place}`, expected, actual);
  }

  private async takeUnknown(fact: RecordedRunFact): Promise<void> {
    if (!(await this.exists(fact.workspace))) return;
    const isThere = (await this.stored.runs([fact.run])).size > 0;
    if (isThere) this.differences.report(`${TOPIC.runs} ${placeText(fact)}`, 'is not stored');
    else if (fact.number === 1 && !(await this.isForgotten(fact)))
      this.differences.report(`penstock_runs.runs ${fact.run}`, 'is missing');
  }

  /** Whether the run was deleted after its retention, by its first fact. */
  private async isForgotten({ pipeline, fact: { data } }: RecordedRunFact): Promise<boolean> {
    return 'requestedAt' in data && this.stored.isForgotten(pipeline, data.requestedAt);
  }

  private at(offset: number): string {
    return `${TOPIC.runs} offset ${String(offset)}`;
  }
}
