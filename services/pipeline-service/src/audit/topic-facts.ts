import { type RecordedFact, TOPIC } from '@penstock/contracts';
import { canonical, type Difference } from './difference';

/** The facts of the `configuration` topic as they come: every position, in order; again only with the same content. */
export class TopicFacts {
  readonly differences: Difference[] = [];
  private readonly facts = new Map<number, RecordedFact>();
  private last = 0;

  take(text: string): void {
    const fact = JSON.parse(text) as RecordedFact;
    const known = this.facts.get(fact.position);
    if (known !== undefined) this.checkRepetition(known, fact);
    else this.takeNew(fact);
  }

  /** In the order of positions, up to one; what is missing at the end is a difference too. */
  upTo(position: number): RecordedFact[] {
    if (this.last < position) this.missing(this.last + 1, position, 'is not published');
    return [...this.facts.values()]
      .filter((fact) => fact.position <= position)
      .sort((one, other) => one.position - other.position);
  }

  private takeNew(fact: RecordedFact): void {
    const { position } = fact;
    this.facts.set(position, fact);
    if (position <= this.last) this.report(position, `comes after position ${String(this.last)}`);
    else this.missing(this.last + 1, position - 1, 'is missing');
    this.last = Math.max(this.last, position);
  }

  private checkRepetition(known: RecordedFact, fact: RecordedFact): void {
    if (canonical(known) !== canonical(fact))
      this.report(fact.position, 'is there twice, with different content');
  }

  private missing(from: number, to: number, what: string): void {
    for (let position = from; position <= to; position += 1) this.report(position, what);
  }

  private report(position: number, what: string): void {
    this.differences.push({ where: `${TOPIC.configuration} position ${String(position)}`, what });
  }
}
