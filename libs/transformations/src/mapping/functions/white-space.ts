/** The characters with the Unicode property White_Space; all are single UTF-16 units. */
const WHITE_SPACE = new Set(
  [
    [0x09, 0x0d],
    [0x20, 0x20],
    [0x85, 0x85],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
  ].flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  ),
);

/** Unicode white space, no-break spaces included. */
export const isWhiteSpace = (unit: number): boolean => WHITE_SPACE.has(unit);
