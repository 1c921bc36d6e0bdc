/** Bytes of a JSON text that mean something. */
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const UPPER_E = 0x45;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const LOWER_E = 0x65;
export const LOWER_U = 0x75;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
/** The first byte that is not ASCII. */
export const BEYOND_ASCII = 0x80;

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;

export const isSpace = (byte: number): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
