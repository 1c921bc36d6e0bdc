import { type Cell, snowflakeCounterpart } from '@penstock/databases';
import {
  decodeValue,
  type Json,
  JsonNumber,
  parseJson,
  type Type,
  type Value,
} from '@penstock/schema';

/** Reads a cell that is not null. */
export type ReadCell = (cell: Cell) => Value;

/** How the connector reads columns of a type of the protocol. */
const counterpart = (name: string): ReadCell => {
  const found = snowflakeCounterpart({ name, precision: null, scale: null, length: null });
  if ('unsupported' in found) throw new TypeError(`no column is of the type ${name}`);
  return found.read;
};

const READ = {
  boolean: counterpart('boolean'),
  float: counterpart('real'),
  datetime: counterpart('timestamp_tz'),
  date: counterpart('date'),
  time: counterpart('time'),
} as const;

const floatJson = (value: number): Json =>
  Number.isFinite(value) ? new JsonNumber(String(value)) : String(value);

/**
 * Makes what reads the cells of the column of a type, as the protocol has them.
 *
 * @returns throws BadValue, Invalid or JsonSyntaxError for a cell that no writer has written.
 */
export const cellReader = (type: Type): ReadCell => {
  switch (type.kind) {
    case 'boolean':
    case 'datetime':
    case 'date':
    case 'time':
      return READ[type.kind];
    case 'float':
      return (cell) => decodeValue(type, floatJson(Number(READ.float(cell))));
    case 'int':
    case 'year':
    case 'decimal':
      return (cell) => decodeValue(type, new JsonNumber(cell));
    case 'string':
    case 'uuid':
    case 'ip':
      return (cell) => decodeValue(type, cell);
    case 'json':
    case 'map':
    case 'array':
      return (cell) => decodeValue(type, parseJson(cell));
    case 'object':
      throw new TypeError('an object has no column of its own');
  }
};
