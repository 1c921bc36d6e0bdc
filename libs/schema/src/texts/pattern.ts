import { RE2JS, RE2JSException } from 're2js';

/** The pattern is not RE2 syntax; the message gives the reason. */
export class PatternSyntaxError extends Error {
  override readonly name = 'PatternSyntaxError';
}

/** Where a pattern was found. Offsets are in UTF-16 units. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** By group number, 0 the whole match; null where a group took no part. */
  readonly groups: readonly (string | null)[];
}

/** A compiled RE2 pattern. Every method takes time linear in the length of its text. */
export interface Pattern {
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
  /** Every match from left to right, as Go's `FindAll`: an empty one that touches the one before does not count. */
  findAll(text: string): Iterable<PatternMatch>;
  /** Number of capturing groups, the whole match not counted. */
  readonly groupCount: number;
  /** Group numbers by name. */
  readonly groupNames: ReadonlyMap<string, number>;
}

/** How many compiled patterns are kept; the least recently made goes first. */
const MAX_CACHED = 1000;

const cache = new Map<string, Pattern>();

/**
 * Compiles RE2 syntax (that of Go's `regexp`: no look-around, no back-references), or gives the one that was
 * compiled before.
 *
 * @throws PatternSyntaxError
 */
export const compilePattern = (text: string): Pattern => {
  const known = cache.get(text);
  if (known) return known;
  const pattern = newPattern(text);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
  cache.set(text, pattern);
  return pattern;
};

const newPattern = (text: string): Pattern => {
  const compiled = compile(text);
  return {
    test: (input) => compiled.test(input),
    findAll: (input) => findAll(compiled, input),
    groupCount: compiled.groupCount(),
    groupNames: new Map(Object.entries(compiled.namedGroups())),
  };
};

const compile = (text: string): RE2JS => {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternSyntaxError(error.message, { cause: error });
  }
};

function* findAll(compiled: RE2JS, input: string): Generator<PatternMatch> {
  const matcher = compiled.matcher(input);
  const numbers = Array.from({ length: compiled.groupCount() + 1 }, (_, number) => number);
  for (let last = -1; matcher.find(); last = matcher.end()) {
    if (matcher.end() === last && matcher.start() === last) continue;
    yield {
      start: matcher.start(),
      end: matcher.end(),
      groups: numbers.map((number) => matcher.group(number)),
    };
  }
}
