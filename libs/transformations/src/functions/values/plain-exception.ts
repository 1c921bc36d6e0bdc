const KIND = /^(\w{0,60}(?:Error|Exception)): /;
const PLACE = / \(line \d+(?:, column \d+)?\)$/;

/**
 * The kind of an exception and where it was thrown. The rest of its text may hold values of the record: its message, a name
 * that the function has given it, and what was thrown in place of an exception.
 */
export const plainException = (text: string): string => {
  const [, kind = 'an exception'] = KIND.exec(text) ?? [];
  const [place = ''] = PLACE.exec(text) ?? [];
  return kind + place;
};
