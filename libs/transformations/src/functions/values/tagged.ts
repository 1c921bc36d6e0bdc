/** First character of a guest's text that stands for a value which JSON does not have. */
export const MARK = '\u0001';

/** The letter after the mark, which determines the meaning of the remaining text. */
export const TAGS = {
  /** A string that begins with the mark itself. */
  text: 's',
  /** Digits of a bigint. */
  integer: 'b',
  /** `NaN`, `Infinity` or `-Infinity`. */
  float: 'f',
  /** A number of Python's `decimal`. */
  decimal: 'm',
  /** A Date, or a `datetime`: ISO 8601. */
  moment: 'd',
  date: 'D',
  time: 'T',
  uuid: 'u',
  ip: 'i',
  /** First element of an array whose second holds the members of a Map. */
  map: 'M',
  /** A value without an equivalent outside the guest; the remaining text names it. */
  foreign: 'x',
} as const;

export type Tag = (typeof TAGS)[keyof typeof TAGS];

/** A value of the guest in the form of a marked text. */
export interface Tagged {
  readonly tag: Tag;
  readonly text: string;
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(TAGS));

/** @returns undefined for a text without the mark, or with an unknown tag. */
export const taggedOf = (text: string): Tagged | undefined => {
  if (!text.startsWith(MARK)) return undefined;
  const tag = text.charAt(1);
  return KNOWN.has(tag) ? { tag: tag as Tag, text: text.slice(2) } : undefined;
};
