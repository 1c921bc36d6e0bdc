/** The kind of an exception, and where it was thrown. */
const EXCEPTION = /^(\w{0,60}(?:Error|Exception)): /;
const PLACE = / \(line \d+(?:, column \d+)?\)$/;

/**
 * What the text of an exception is left of without what the function has written: its message, its name if that is no usual
 * one, and what was thrown in place of an exception may hold values of the record.
 */
export const plainException = (text: string): string => {
  const [, kind = 'an exception'] = EXCEPTION.exec(text) ?? [];
  const [place = ''] = PLACE.exec(text) ?? [];
  return kind + place;
};
