/** What one expression may be at most; a mapping has its own limit of keys. */
export const EXPRESSION_LIMITS = {
  /** Code points. */
  maxCharacters: 10_000,
  /** Literals, paths and calls. */
  maxNodes: 1_000,
  /** Calls inside one another. */
  maxNesting: 32,
} as const;
