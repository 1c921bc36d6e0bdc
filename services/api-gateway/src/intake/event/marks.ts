/** Bits for what was found in the bytes of a JSON text. */
export const MARK = {
  /** White space between tokens. */
  spaced: 1,
  /** Bytes that are not ASCII. */
  wide: 2,
  /** A string with an escape. */
  escaped: 4,
  /** An escape that has a shorter or plainer form. */
  respelled: 8,
  /** NUL or a lone surrogate, which no value may contain. */
  unclean: 16,
} as const;
