/** Limits of one expression; the number of keys of a mapping is limited separately. */
export const EXPRESSION_LIMITS = {
  /** Code points. */
  maxCharacters: 10_000,
  /** Literals, paths and calls. */
  maxNodes: 1_000,
  /** Nesting of calls. */
  maxNesting: 32,
} as const;
