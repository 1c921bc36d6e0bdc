const MASK = '••••';

/** As deep as answers hold texts within texts: JSON in JSON, in a page, in a URL. */
const MAX_DEPTH = 3;

const ESCAPE =
  /(?<!\\)\\+u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)|&#([0-9]{1,7});|&#x([0-9a-f]{1,6});|&(quot|apos|lt|gt|amp);/gi;

const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
};

const characterOf = (number: number): string =>
  number <= 0x10_ff_ff ? String.fromCodePoint(number) : '';

const unescapeOnce = (text: string): string =>
  text.replace(
    ESCAPE,
    (_, unit?: string, bytes?: string, number?: string, hex?: string, name?: string) => {
      if (unit !== undefined) return String.fromCharCode(parseInt(unit, 16));
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
      if (number !== undefined) return characterOf(Number(number));
      if (hex !== undefined) return characterOf(parseInt(hex, 16));
      return NAMED[name?.toLowerCase() ?? ''] ?? '';
    },
  );

/** What every way to write a text comes to: JSON's, a URL's, a form's, a page's. Not the text itself. */
const unescaped = (text: string): string => {
  let plain = text;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) plain = unescapeOnce(plain);
  return plain
    .replace(/(?<!\\)\\+[bfnrt]/g, ' ')
    .replaceAll('\\', '')
    .replace(/[+\s]+/g, ' ');
};

/** The longest come first: one may be the beginning of another. */
const masked = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.trim() !== '')
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, MASK), text);

/**
 * What somebody else has written, without secrets of ours: where one stands in it escaped, the text is shown as it
 * reads without escapes.
 */
export const withoutSecrets = (text: string, secrets: readonly string[]): string => {
  const plain = masked(text, secrets);
  const read = unescaped(plain);
  const shown = masked(read, secrets.map(unescaped));
  return shown === read ? plain : shown;
};
