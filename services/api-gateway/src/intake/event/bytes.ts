/**
 * Bytes with a meaning in JSON. Hot code copies them into constants of its own file: an imported constant is read
 * through a getter.
 */
export const BYTE = {
  TAB: 0x09,
  LINE_FEED: 0x0a,
  CARRIAGE_RETURN: 0x0d,
  SPACE: 0x20,
  QUOTE: 0x22,
  PLUS: 0x2b,
  COMMA: 0x2c,
  MINUS: 0x2d,
  POINT: 0x2e,
  SLASH: 0x2f,
  ZERO: 0x30,
  NINE: 0x39,
  COLON: 0x3a,
  UPPER_E: 0x45,
  OPEN_BRACKET: 0x5b,
  BACKSLASH: 0x5c,
  CLOSE_BRACKET: 0x5d,
  LOWER_E: 0x65,
  LOWER_U: 0x75,
  OPEN_BRACE: 0x7b,
  CLOSE_BRACE: 0x7d,
  /** The lowest byte that is not ASCII. */
  BEYOND_ASCII: 0x80,
} as const;
