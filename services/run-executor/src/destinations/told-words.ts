import { FUNCTION_WORDS, WORDS } from './words-of-reasons';

const GONE = '…';

/** What stands between pieces of a text, and around them. */
const BETWEEN = /([\s"“”‘’`{}[\]()<>=,;:|]+)/;
/** Words that are joined, as in names and codes, and the mark after them. */
const PIECE = /^['/]?([a-z\d]+(?:[-_./'][a-z\d]+)*)'?([.!?]?)'?$/i;

/** Shorter words stand within others by chance. */
const MIN_PART = 4;

/** Two letters that are all capitals are a code, such as that of a country. */
const CODE = /^[A-Z]{2}$/;

/** In one case and without accents and other marks, however somebody writes it. */
const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const wordsIn = (text: string): readonly string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words that people have given in values. */
class GivenWords {
  private readonly words: ReadonlySet<string>;
  /** Of values that have no others. */
  private readonly functionWords: ReadonlySet<string>;
  /** Each value without what is between its words. */
  private readonly joined: string;
  private readonly known = new Map<string, boolean>();

  constructor(values: readonly string[]) {
    const all = values.map(wordsIn);
    this.words = new Set(all.flat());
    const isPlain = (words: readonly string[]) => words.every((word) => FUNCTION_WORDS.has(word));
    this.functionWords = new Set(all.filter(isPlain).flat());
    this.joined = all.map((words) => words.join('')).join('\n');
  }

  /** Whether the word is one of a value, or a part of one. */
  has(word: string): boolean {
    const known = this.known.get(word) ?? this.find(folded(word));
    this.known.set(word, known);
    return known;
  }

  private find(word: string): boolean {
    if (FUNCTION_WORDS.has(word)) return this.functionWords.has(word);
    return word.length < MIN_PART ? this.words.has(word) : this.joined.includes(word);
  }
}

/**
 * Tells what somebody else says about values that it was given, by words of a list and names alone, and by no word of a
 * value: it may repeat values in any form, and others that it knows of the same person.
 */
export class ToldWords {
  private readonly given: GivenWords;

  /** @param names of properties, which may be told. */
  constructor(
    values: readonly string[],
    private readonly names: ReadonlySet<string>,
  ) {
    this.given = new GivenWords(values);
  }

  /** @returns empty when no word is told */
  tell(text: string): string {
    const told: string[] = [];
    let mark = '';
    for (const [index, piece] of text.split(BETWEEN).entries()) {
      if (piece === '') continue;
      if (index % 2 === 1) mark = /[,;:]/.exec(piece)?.[0] ?? '';
      else {
        this.add(told, this.piece(piece), mark);
        mark = '';
      }
    }
    return told.every((each) => each === GONE) ? '' : told.join(' ');
  }

  /** Marks stand between words that are told. */
  private add(told: string[], piece: string | undefined, mark: string): void {
    const last = told.at(-1);
    if (piece === undefined) {
      if (last !== GONE) told.push(GONE);
      return;
    }
    if (last !== undefined && last !== GONE && !/[.!?]$/.test(last))
      told[told.length - 1] = `${last}${mark}`;
    told.push(piece);
  }

  private piece(text: string): string | undefined {
    const [, joined, mark = ''] = PIECE.exec(text) ?? [];
    if (joined === undefined) return undefined;
    const isKnown = joined.split(/[./]/).every((part) => this.isTold(part));
    return isKnown ? `${joined}${mark}` : undefined;
  }

  private isTold(part: string): boolean {
    const words = part.split(/[-_']/);
    if (words.some((word) => this.given.has(word))) return false;
    return this.names.has(part) || words.every((word) => this.isWord(word));
  }

  private isWord(word: string): boolean {
    const small = word.toLowerCase();
    return !CODE.test(word) && (WORDS.has(small) || FUNCTION_WORDS.has(small));
  }
}
