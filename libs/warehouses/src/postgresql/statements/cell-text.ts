import type { JsonString } from '@penstock/contracts';
import { parseJson, writeJson } from '@penstock/schema';

/** Ids of types that PostgreSQL writes as JSON does. Source: PostgreSQL, `pg_type.dat`. */
const BOOLEAN = 16;
/** int8, int2, int4, oid, float4, float8, numeric. */
const NUMBERS: readonly number[] = [20, 21, 23, 26, 700, 701, 1_700];
/** json, jsonb. */
const JSONS: readonly number[] = [114, 3_802];

/** Neither `NaN` nor an infinity. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const jsonText = (text: string): JsonString => {
  try {
    return writeJson(parseJson(text));
  } catch {
    // What JSON texts of the service may not be, PostgreSQL may hold.
    return JSON.stringify(text);
  }
};

/**
 * A value as JSON: numbers to the last digit, texts for what JSON does not know.
 *
 * @param type id of its type in PostgreSQL.
 * @param text as the server writes it.
 */
export const cellText = (type: number, text: string | null): JsonString => {
  if (text === null) return 'null';
  if (type === BOOLEAN) return text === 't' ? 'true' : 'false';
  if (NUMBERS.includes(type) && NUMBER.test(text)) return text;
  return JSONS.includes(type) ? jsonText(text) : JSON.stringify(text);
};
