const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Length in Unicode code points; a surrogate without its partner counts as one. */
export const codePointLength = (text: string): number => {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (!isHighSurrogate(text.charCodeAt(at)) || !isLowSurrogate(text.charCodeAt(at + 1))) continue;
    length -= 1;
    at += 1;
  }
  return length;
};

/** Orders strings by code points, which UTF-16 units order differently above U+FFFF. */
export const compareCodePoints = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at);
    if (difference !== 0) return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
  }
  return a.length - b.length;
};

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/** Surrogates stand for code points above all others: moves them behind the units that follow them. */
const rank = (unit: number): number => {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x0800;
};
