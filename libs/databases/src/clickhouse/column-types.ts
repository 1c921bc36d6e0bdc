import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  canonicalUuid,
  decodeValue,
  Invalid,
  isJsonArray,
  isJsonObject,
  JsonNumber,
  parseFloatText,
  type PlainType,
  type Type,
  type Value,
} from '@penstock/schema';
import { intType } from '../database/int-type';
import { BadValue, type Counterpart, known, type Unsupported } from '../database/source-column';
import type { Cell } from './clickhouse-answer';
import { AROUND, parseTypeName, quotedIn, type TypeName } from './type-name';

/** How a server writes times. */
export interface TimeWriting {
  /** Whether it writes all of them in UTC. */
  readonly isUtc: boolean;
  /** Of what has no time zone of its own. */
  readonly zone: string;
}

type Given = Counterpart<Cell> | Unsupported;
type CounterpartOf = (type: TypeName, times: TimeWriting) => Given;

/** Of the type `decimal`. */
const MAX_PRECISION = 76;
const MAX_SCALE = 37;

/** Source: ClickHouse, 2147483647 elements are more than a row may have. */
const MAX_ELEMENTS = 2_147_483_647;

const UTC = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|GMT)$/;

/** Numbers, which are texts where JavaScript would round them, and texts. */
const textOf = (cell: Cell): string => {
  if (cell instanceof JsonNumber) return cell.text;
  if (typeof cell !== 'string') throw new BadValue('is neither a text nor a number');
  return cell;
};

const textWithoutNul = (cell: Cell): string => {
  const text = textOf(cell);
  if (text.includes('\0')) throw new BadValue('holds NUL');
  return text;
};

const plain = (
  kind: PlainType['kind'],
  what: string,
  canonical: (text: string) => string | undefined,
): CounterpartOf => {
  const counterpart: Counterpart<Cell> = {
    type: { kind },
    read: (cell) => known(canonical(textOf(cell)), what),
  };
  return () => counterpart;
};

const int =
  (bitSize: 8 | 16 | 32, unsigned = false): CounterpartOf =>
  () => ({ type: intType(bitSize, unsigned), read: (cell) => Number(textOf(cell)) });

const long =
  (unsigned = false): CounterpartOf =>
  () => ({ type: intType(64, unsigned), read: (cell) => BigInt(textOf(cell)) });

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ['-nan', NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
]);

const float =
  (bitSize: 32 | 64): CounterpartOf =>
  () => ({
    type: { kind: 'float', bitSize, real: false },
    read: (cell) => {
      const text = textOf(cell);
      return SPECIAL.get(text) ?? known(parseFloatText(text, bitSize), 'a number of its size') + 0;
    },
  });

const decimalOf = (precision: number, scale: number, name: string): Given => {
  if (precision > MAX_PRECISION || scale > MAX_SCALE) return { unsupported: name };
  const limits = { precision, scale };
  return {
    type: { kind: 'decimal', ...limits },
    read: (cell) => known(canonicalDecimal(textOf(cell), limits), 'a decimal'),
  };
};

const decimal: CounterpartOf = ({ name, parameters: [precision, scale = '0'] }) =>
  decimalOf(Number(precision), Number(scale), `${name}(${String(precision)}, ${scale})`);

const wide =
  (precision: number): CounterpartOf =>
  ({ name }) =>
    decimalOf(precision, 0, name);

const string: CounterpartOf = () => ({ type: { kind: 'string' }, read: textWithoutNul });

/** The server fills up with NUL. */
const fixedString: CounterpartOf = () => ({
  type: { kind: 'string' },
  read: (cell) => textWithoutNul(textOf(cell).replace(/\0+$/, '')),
});

const enumeration: CounterpartOf = ({ parameters }) => {
  const values = parameters.map((each) => (quotedIn(each) ?? '').normalize());
  return { type: { kind: 'string', values }, read: (cell) => textOf(cell).normalize() };
};

const boolean: CounterpartOf = () => ({
  type: { kind: 'boolean' },
  read: (cell) => cell === true || (cell instanceof JsonNumber && cell.text === '1'),
});

const DATE_TIME = 'a time of the years 1 to 9999';

/** Source: ClickHouse, `DateTime64`: the digits of one that does not say them. */
const DEFAULT_DIGITS = '3';

/** @param place of the time zone among the parameters, behind the digits if there are any. */
const dateTime =
  (place: 0 | 1): CounterpartOf =>
  ({ name, parameters }, { isUtc, zone }) => {
    const own = quotedIn(parameters[place] ?? '') ?? zone;
    if (!isUtc && !UTC.test(own))
      return {
        unsupported: `${name} in the time zone ${own}, which the server does not write in UTC,`,
      };
    return {
      type: { kind: 'datetime' },
      read: (cell) => known(canonicalDateTime(textOf(cell)), DATE_TIME),
      fractionDigits: place === 0 ? 0 : Number(parameters[0] ?? DEFAULT_DIGITS),
    };
  };

const timeOfDay: CounterpartOf = ({ name, parameters: [digits = DEFAULT_DIGITS] }) => ({
  type: { kind: 'time' },
  read: (cell) => known(canonicalTime(textOf(cell)), 'a time of day before 24:00'),
  fractionDigits: name === 'Time' ? 0 : Number(digits),
});

/** What holds times keeps them as they do. */
const fractionsOf = ({
  fractionDigits,
}: Counterpart<Cell>): Pick<Counterpart<Cell>, 'fractionDigits'> =>
  fractionDigits === undefined ? {} : { fractionDigits };

const json: CounterpartOf = () => ({
  type: { kind: 'json' },
  read: (cell) => {
    try {
      return decodeValue({ kind: 'json' }, cell);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      throw new BadValue('holds JSON that cannot be taken');
    }
  },
});

const element = (cell: Cell | null, read: (cell: Cell) => Value): Value => {
  if (cell === null) throw new BadValue('has an element that is null');
  return read(cell);
};

const array: CounterpartOf = ({ parameters: [inner = ''] }, times) => {
  const { given } = unwrapped(inner, times);
  if ('unsupported' in given) return { unsupported: `Array(${inner})` };
  const type: Type = {
    kind: 'array',
    elementType: given.type,
    minElements: 0,
    maxElements: MAX_ELEMENTS,
    uniqueElements: false,
  };
  const read = (cell: Cell): readonly Value[] => {
    if (!isJsonArray(cell)) throw new BadValue('is no array');
    return cell.map((each) => element(each, given.read));
  };
  return { type, read, ...fractionsOf(given) };
};

const map: CounterpartOf = ({ parameters: [key = '', inner = ''] }, times) => {
  const keys = unwrapped(key, times).given;
  const { given } = unwrapped(inner, times);
  if ('unsupported' in keys || keys.type.kind !== 'string' || 'unsupported' in given)
    return { unsupported: `Map(${key}, ${inner})` };
  const read = (cell: Cell): ReadonlyMap<string, Value> => {
    if (!isJsonObject(cell)) throw new BadValue('is no map');
    return new Map(
      Array.from(cell, ([name, each]) => [textWithoutNul(name), element(each, given.read)]),
    );
  };
  return { type: { kind: 'map', elementType: given.type }, read, ...fractionsOf(given) };
};

const COUNTERPARTS: ReadonlyMap<string, CounterpartOf> = new Map<string, CounterpartOf>([
  ['Int8', int(8)],
  ['Int16', int(16)],
  ['Int32', int(32)],
  ['Int64', long()],
  ['Int128', wide(39)],
  ['UInt8', int(8, true)],
  ['UInt16', int(16, true)],
  ['UInt32', int(32, true)],
  ['UInt64', long(true)],
  ['UInt128', wide(39)],
  ['Float32', float(32)],
  ['Float64', float(64)],
  ['Decimal', decimal],
  ['String', string],
  ['Nothing', string],
  ['FixedString', fixedString],
  ['Enum8', enumeration],
  ['Enum16', enumeration],
  ['Bool', boolean],
  ['Date', plain('date', 'a day of the years 1 to 9999', canonicalDate)],
  ['Date32', plain('date', 'a day of the years 1 to 9999', canonicalDate)],
  ['DateTime', dateTime(0)],
  ['DateTime64', dateTime(1)],
  ['Time', timeOfDay],
  ['Time64', timeOfDay],
  ['UUID', plain('uuid', 'a UUID', canonicalUuid)],
  ['IPv4', plain('ip', 'an address', canonicalIp)],
  ['IPv6', plain('ip', 'an address', canonicalIp)],
  ['JSON', json],
  ['Object', json],
  ['Array', array],
  ['Map', map],
]);

interface Unwrapped {
  readonly nullable: boolean;
  readonly given: Given;
}

const unwrapped = (text: string, times: TimeWriting): Unwrapped => {
  const type = parseTypeName(text);
  if (AROUND.has(type.name)) {
    const inner = unwrapped(type.parameters.at(-1) ?? '', times);
    return { ...inner, nullable: inner.nullable || type.name === 'Nullable' };
  }
  const given = COUNTERPARTS.get(type.name)?.(type, times) ?? { unsupported: text };
  return { nullable: false, given };
};

/**
 * What a column becomes.
 *
 * @param text its type in the words of the server.
 */
export const clickhouseCounterpart = (
  text: string,
  times: TimeWriting,
): { readonly nullable: boolean; readonly counterpart: Counterpart<Cell> | Unsupported } => {
  const { nullable, given } = unwrapped(text, times);
  return { nullable, counterpart: given };
};
