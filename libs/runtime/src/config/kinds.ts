import { isIP } from 'node:net';
import { Variable } from './variable';

/** A whole number in decimal notation, both limits included. */
export const integer = ({ min, max }: { min: number; max: number }): Variable<number> =>
  Variable.of(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * A whole number of days, hours, minutes or seconds, such as `30d`, `36h`, `15m` or `10s`; the value is in milliseconds. The
 * limits are written the same way.
 */
export const duration = ({ min, max }: { min: string; max: string }): Variable<number> => {
  const [minMs, maxMs] = [durationMs(min), durationMs(max)];
  if (minMs === undefined || maxMs === undefined) throw new RangeError(`limits ${min}, ${max}`);
  return Variable.of(
    `a time in days, hours, minutes or seconds, such as 30d, 36h, 15m or 10s, from ${min} to ${max}`,
    (text) => {
      const value = durationMs(text);
      return value !== undefined && value >= minMs && value <= maxMs ? value : undefined;
    },
  );
};

const durationMs = (text: string): number | undefined => {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS_MS[unit] ?? Number.NaN);
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

/** Yes or no. */
export const boolean = Variable.of('1, 0, true or false', (text) => BOOLEANS.get(text));

/** Letters in any case; the value is the option as written here. */
export const oneOf = <const Option extends string>(options: readonly Option[]): Variable<Option> =>
  Variable.of(`one of ${options.join(', ')}`, (text) =>
    options.find((option) => option.toLowerCase() === text.toLowerCase()),
  );

/** Any text of a length, in characters. */
export const text = ({ minLength = 1, maxLength = 4_096 } = {}): Variable<string> =>
  Variable.of(`a text of ${minLength} to ${maxLength} characters`, (value) =>
    value.length >= minLength && value.length <= maxLength ? value : undefined,
  );

/** A text that matches a pattern. */
export const matching = (pattern: RegExp, expects: string): Variable<string> =>
  Variable.of(expects, (value) => (pattern.test(value) ? value : undefined));

/** Comma-separated, blanks around items ignored; bad as a whole when one item is. */
export const listOf = (
  expects: string,
  parseItem: (item: string) => string | undefined,
): Variable<readonly string[]> =>
  Variable.of(`a comma-separated list of ${expects}`, (value) => {
    const items = value.split(',').map((item) => parseItem(item.trim()));
    return items.every((item) => item !== undefined) ? Object.freeze(items) : undefined;
  });

/** A TCP port; 0 stands for any free one. */
export const port = integer({ min: 0, max: 65_535 });

const HOST_NAME = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i;
const NUMBERS_AND_DOTS = /^[\d.]+$/;

const isHost = (value: string): boolean =>
  isIP(value) !== 0 || (HOST_NAME.test(value) && !NUMBERS_AND_DOTS.test(value));

/** The name or the address of a host. */
export const host = Variable.of('a host name or an IP address', (value) =>
  isHost(value) ? value : undefined,
);

const isHostAndPort = (value: string): boolean => {
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
  const number = Number(digits);
  if (!(number >= 1 && number <= 65_535)) return false;
  return bracketed === undefined ? isHost(plain ?? '') : isIP(bracketed) === 6;
};

/** Kafka brokers, each with its port. */
export const brokers = listOf('host:port', (item) => (isHostAndPort(item) ? item : undefined));

const MAX_PREFIX: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** A bare address is the range of itself alone. */
const parseRange = (item: string): string | undefined => {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
  const longest = MAX_PREFIX[isIP(address)];
  if (longest === undefined) return undefined;
  const prefix = Number(digits ?? longest);
  return prefix <= longest ? `${address}/${prefix}` : undefined;
};

/** Ranges of IP addresses in CIDR notation. */
export const addressRanges = listOf('address ranges (CIDR)', parseRange);

const parsePostgresUrl = (value: string): string | undefined => {
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname, searchParams } = new URL(value);
  const isPostgres = protocol === 'postgres:' || protocol === 'postgresql:';
  return isPostgres && (hostname !== '' || searchParams.has('host')) ? value : undefined;
};

/** A URL of a PostgreSQL database. */
export const postgresUrl = Variable.of('a URL that begins with postgres://', parsePostgresUrl);

const parseHttpUrl = (value: string): string | undefined => {
  if (!URL.canParse(value)) return undefined;
  const { protocol, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '' ? value : undefined;
};

/** A URL of HTTP or HTTPS to which paths are added; it has no query. */
export const httpUrl = Variable.of(
  'a URL that begins with http:// or https://, without a query',
  parseHttpUrl,
);

/** A decimal number from 0 to 1. */
export const ratio = Variable.of('a number from 0 to 1, such as 0.01', (value) =>
  /^(0|1|0?\.\d{1,12}|0\.0*|1\.0*)$/.test(value) ? Number(value) : undefined,
);

const parsePair = (item: string): readonly [string, string] | undefined => {
  const [, name, value] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(item) ?? [];
  if (name === undefined || value === undefined) return undefined;
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)];
  } catch {
    return undefined;
  }
};

/** Names with values in the form of W3C baggage, `a=1,b=two%20words`: percent-encoded, without properties. */
export const pairs = Variable.of(
  'a comma-separated list of name=value, percent-encoded',
  (list): Readonly<Record<string, string>> | undefined => {
    const found = list.split(',').filter((item) => item.trim() !== '');
    const parsed = found.map(parsePair).filter((pair) => pair !== undefined);
    return parsed.length === found.length ? Object.freeze(Object.fromEntries(parsed)) : undefined;
  },
);
