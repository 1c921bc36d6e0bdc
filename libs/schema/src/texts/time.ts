const TIME = /^((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?$/;

/** Nanoseconds. */
const MOST_DIGITS = 9;

/** A fraction of a second as it is written: nothing, or a point and 3, 6 or 9 digits, the fewest that keep it. */
export const fractionText = (digits: string): string => {
  const kept = digits.slice(0, MOST_DIGITS).replace(/0+$/, '');
  return kept && `.${kept.padEnd(Math.ceil(kept.length / 3) * 3, '0')}`;
};

/** `HH:mm:ss` with 0, 3, 6 or 9 digits of fraction; undefined when the text is no time of day. */
export const canonicalTime = (text: string): string | undefined => {
  const match = TIME.exec(text);
  return match ? `${match[1]}${fractionText(match[2] ?? '')}` : undefined;
};
