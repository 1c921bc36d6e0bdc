import type { JsonString } from '@penstock/contracts';
import {
  BadValue,
  type Cell,
  snowflakeCounterpart,
  type SnowflakeColumn,
} from '@penstock/databases';
import { valueToJson, writeJson } from '@penstock/schema';

/** Types in the words of Snowflake by those of the protocol. Source: the official drivers, types of columns. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['fixed', 'NUMBER'],
  ['real', 'FLOAT'],
  ['text', 'VARCHAR'],
]);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The type of a column of a result, such as `NUMBER(38,0)`. */
export const columnTypeOf = (column: SnowflakeColumn): string => {
  const type = column.getType();
  const name = NAMES.get(type) ?? type.toUpperCase();
  const [precision, scale] = [column.getPrecision(), column.getScale()];
  if (type === 'fixed' && precision !== null)
    return `${name}(${String(precision)},${String(scale ?? 0)})`;
  const hasFraction = type === 'time' || type.startsWith('timestamp');
  return hasFraction && scale !== null ? `${name}(${String(scale)})` : name;
};

/** Makes what writes the cells of a column as JSON: numbers to the last digit, texts for what JSON does not know. */
export const cellWriter = (column: SnowflakeColumn): ((cell: Cell | null) => JsonString) => {
  const name = column.getType();
  const [precision, scale] = [column.getPrecision(), column.getScale()];
  const counterpart = snowflakeCounterpart({ name, precision, scale, length: null });
  const written = (cell: Cell): JsonString => {
    if (name === 'fixed' && NUMBER.test(cell)) return cell;
    if ('unsupported' in counterpart) return JSON.stringify(cell);
    try {
      return writeJson(valueToJson(counterpart.type, counterpart.read(cell)));
    } catch (error) {
      // What values of the service may not be, Snowflake may hold.
      if (error instanceof BadValue) return JSON.stringify(cell);
      throw error;
    }
  };
  return (cell) => (cell === null ? 'null' : written(cell));
};
