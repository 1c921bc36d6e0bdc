/** Begins a text of the guest that stands for a value which JSON does not have. */
export const MARK = '\u0001';

/** What follows the mark: one letter that says what the rest of the text is. */
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
  /** What has no meaning outside; the rest names it. */
  foreign: 'x',
} as const;

export type Tag = (typeof TAGS)[keyof typeof TAGS];

/** A value of the guest that came as a marked text. */
export interface Tagged {
  readonly tag: Tag;
  readonly text: string;
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(TAGS));

/** @returns undefined for a text without the mark, and for one with a mark that nobody gives. */
export const taggedOf = (text: string): Tagged | undefined => {
  if (!text.startsWith(MARK)) return undefined;
  const tag = text.charAt(1);
  return KNOWN.has(tag) ? { tag: tag as Tag, text: text.slice(2) } : undefined;
};
