const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const WRAPPED =
  /^(?:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})|\{([\da-f-]{36})\}|urn:uuid:([\da-f-]{36})|([\da-f]{32}))$/i;

/**
 * Lower-case 8-4-4-4-12 of a UUID in either case: bare, in braces, after `urn:uuid:`, or as 32 digits;
 * undefined for anything else.
 */
export const canonicalUuid = (text: string): string | undefined => {
  if (UUID.test(text)) return text;
  const [, bare, braced, urn, digits] = WRAPPED.exec(text) ?? [];
  const uuid = (bare ?? braced ?? urn ?? (digits && hyphenated(digits)))?.toLowerCase();
  return uuid !== undefined && UUID.test(uuid) ? uuid : undefined;
};

const hyphenated = (digits: string): string =>
  [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => digits.slice(from, to)).join('-');
