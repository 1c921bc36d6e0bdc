import { readFact, type RecordedFact, TOPIC } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { canonical, type Differences, PositionSet } from '@penstock/platform';
import type { StoredFact, StoredFacts } from './stored-facts';

/** A stored fact as it was published; earlier versions published no hash. */
const published = (
  { owner: _, effectiveTime: _time, ...fact }: StoredFact,
  { hash }: RecordedFact,
): object => ({
  ...fact,
  data: JSON.parse(fact.data) as unknown,
  ...(hash === undefined && { hash: undefined }),
});

/**
 * Compares the facts of the `configuration` topic with the stored ones: every position, in order, repetitions
 * unchanged.
 */
export class TopicChecks {
  private readonly seen = new PositionSet();
  private last = 0;

  constructor(
    private readonly facts: Pick<StoredFacts, 'at' | 'last'>,
    private readonly differences: Differences,
  ) {}

  async take(records: readonly LogRecord[]): Promise<void> {
    const facts: RecordedFact[] = [];
    for (const { value, offset } of records) {
      const fact = readFact(value);
      if (fact === undefined)
        this.differences.report(
          `${TOPIC.configuration} offset ${String(offset)}`,
          'is not a fact of the configuration',
        );
      else if (fact.position <= this.facts.last) facts.push(fact);
    }
    const stored = await this.facts.at(facts.map(({ position }) => position));
    for (const fact of facts) this.takeOne(fact, stored.get(fact.position));
  }

  end(): void {
    this.reportMissing(this.last + 1, this.facts.last, 'is not published');
  }

  private takeOne(fact: RecordedFact, stored: StoredFact | undefined): void {
    const { position } = fact;
    const isRepeated = this.seen.has(position);
    if (!isRepeated) this.takeNew(position);
    // A missing stored fact was reported by the check of the stored facts.
    if (stored === undefined) return;
    if (!isRepeated)
      this.differences.compare(
        `penstock.facts position ${String(position)}`,
        fact,
        published(stored, fact),
      );
    else if (!this.isSame(fact, stored))
      this.report(position, 'is there twice, with different content');
  }

  private takeNew(position: number): void {
    this.seen.add(position);
    if (position < this.last) this.report(position, `comes after position ${String(this.last)}`);
    else this.reportMissing(this.last + 1, position - 1, 'is missing');
    this.last = Math.max(this.last, position);
  }

  private isSame(fact: RecordedFact, stored: StoredFact): boolean {
    return canonical(fact) === canonical(published(stored, fact));
  }

  private reportMissing(from: number, to: number, what: string): void {
    for (let position = from; position <= to; position += 1) this.report(position, what);
  }

  private report(position: number, what: string): void {
    this.differences.report(`${TOPIC.configuration} position ${String(position)}`, what);
  }
}
