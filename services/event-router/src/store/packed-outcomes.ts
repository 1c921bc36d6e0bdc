import type { EndState, OutcomeRecord } from './changes';
import { cleanText } from './clean-text';
import { PackedNames } from './packed-names';

/**
 * `[first offset, first moment, names, endings, outcomes, made]`. `outcomes` repeats (offset less the first, index of the
 * name, index of the ending, attempts, milliseconds after the first moment, status). `made` has what functions have made, for
 * each outcome; it is absent when there is nothing, and in rows of earlier versions, which ignore it.
 */
type Packed = [number, number, string[], [EndState, string][], number[], string[]?];

const NUMBERS = 6;

/** The table of endings in a packed row, each once; outcomes refer to them by index. */
class PackedEndings {
  readonly endings: [EndState, string][] = [];
  private readonly indexes = new Map<EndState, Map<string, number>>();

  of({ state, code }: OutcomeRecord): number {
    const known = this.indexes.get(state)?.get(code);
    if (known !== undefined) return known;
    const index = this.endings.push([state, cleanText(code)]) - 1;
    const ofState = this.indexes.get(state) ?? new Map<string, number>();
    this.indexes.set(state, ofState.set(code, index));
    return index;
  }
}

/** Packs all outcomes of one partition and commit into one clean text, about 20 bytes each, 35 of functions. */
export const packOutcomes = (outcomes: readonly OutcomeRecord[]): string => {
  const names = new PackedNames();
  const endings = new PackedEndings();
  const firstOffset = outcomes[0]?.offset ?? 0;
  const firstMs = outcomes[0]?.atMs ?? 0;
  const numbers: number[] = [];
  for (const outcome of outcomes) {
    numbers.push(outcome.offset - firstOffset, names.of(outcome), endings.of(outcome));
    numbers.push(outcome.attempts, outcome.atMs - firstMs, outcome.status);
  }
  const packed: Packed = [firstOffset, firstMs, names.names, endings.endings, numbers];
  if (outcomes.some(({ made }) => made !== '')) packed.push(outcomes.map(({ made }) => made));
  return JSON.stringify(packed);
};

export const unpackOutcomes = (text: string): OutcomeRecord[] => {
  const [firstOffset, firstMs, texts, endings, numbers, made = []] = JSON.parse(text) as Packed;
  const names = PackedNames.read(texts);
  const outcomes: OutcomeRecord[] = [];
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    const numberAt = (index: number): number => numbers[at + index] ?? 0;
    const name = names[numberAt(1)];
    const ended = endings[numberAt(2)];
    if (name === undefined || ended === undefined)
      throw new Error('a row of outcomes names no such pipeline or ending');
    outcomes.push({
      offset: firstOffset + numberAt(0),
      pipeline: name.pipeline,
      version: name.version,
      state: ended[0],
      code: ended[1],
      attempts: numberAt(3),
      atMs: firstMs + numberAt(4),
      status: numberAt(5),
      made: made[at / NUMBERS] ?? '',
    });
  }
  return outcomes;
};
