/** What was met in the bytes of a JSON text, as bits. */
export const MARK = {
  /** White space between tokens. */
  spaced: 1,
  /** Bytes beyond ASCII. */
  wide: 2,
  /** A string with an escape. */
  escaped: 4,
  /** An escape that has a shorter or plainer spelling. */
  respelled: 8,
  /** NUL or a lone surrogate: no value may hold them. */
  unclean: 16,
} as const;
