import {
  floatText,
  type Json,
  JsonNumber,
  type JsonText,
  type Type,
  writeJson,
} from '@penstock/schema';
import type { Expression, Sink, Take } from '../expression/expression';
import { Fault } from '../expression/fault';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import {
  type Decimal,
  decimalOfFloat,
  fits,
  parseDecimal,
  plainText,
  round,
} from '../types/decimal';
import { DECIMAL } from '../types/plain-types';
import type { FunctionRow } from './function-row';

const { precision: MAX_PRECISION, scale: MAX_SCALE } = DECIMAL;

/** An argument as a number and as text; whether it is a number is checked during evaluation, also for literals. */
interface Numeral {
  readonly number: Decimal | undefined;
  readonly text: string;
}

const numeral = (text: string): Numeral => ({ number: parseDecimal(text), text });

const fromJson = (json: Json): Numeral | null => {
  if (json === null) return null;
  if (json instanceof JsonNumber) return numeral(json.text);
  return { number: undefined, text: writeJson(json) };
};

const fromFloat = (value: number, bitSize: 32 | 64): Numeral => ({
  number: decimalOfFloat(value, bitSize),
  text: floatText(value, bitSize),
});

const from = (type: Type): Take<Numeral | null> | undefined => {
  switch (type.kind) {
    case 'int':
    case 'year':
    case 'decimal':
    case 'string':
      return (value) => numeral((value as string | number | bigint).toString());
    case 'float':
      return (value) => fromFloat(value as number, type.bitSize);
    case 'json':
      return (value) => fromJson((value as JsonText).value);
    default:
      return undefined;
  }
};

const NUMERAL: Sink<Numeral | null> = { expects: 'a number', nothing: null, from, fromJson };

const rounded = ({ number, text }: Numeral, scale: number): string => {
  if (!number) throw new Fault('not a number', text);
  const result = round(number, scale);
  if (fits(result, MAX_PRECISION, MAX_SCALE)) return plainText(result);
  throw new Fault(`more than ${MAX_PRECISION - MAX_SCALE} digits before the point`, text);
};

const scaleOf = ({ at, literal, types }: Expression): number => {
  const isInteger = types[0]?.kind === 'int' && typeof literal === 'number';
  if (isInteger && literal >= 0 && literal <= MAX_SCALE) return literal;
  throw new ExpressionFault(`the digits are a literal from 0 to ${MAX_SCALE}`, at);
};

/** Rounds to a number of digits after the point, half away from zero, exactly. */
export const ROUND: FunctionRow = {
  arity: [1, 2],
  compile: (at, argument, digits?: Expression) => {
    const numeralOf = argument.into(NUMERAL);
    const scale = digits ? scaleOf(digits) : 0;
    return typed(at, DECIMAL, (record) => {
      const given = numeralOf(record);
      return given === null ? null : rounded(given, scale);
    });
  },
};
