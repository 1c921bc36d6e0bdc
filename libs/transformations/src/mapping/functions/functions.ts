import { ARRAY } from './array';
import { COALESCE } from './coalesce';
import { CONCAT } from './concat';
import { DATE_FORMAT } from './date-format';
import { EQ, NE } from './equality';
import type { FunctionRow } from './function-row';
import { IF } from './if';
import { JSON_PARSE } from './json-parse';
import { LEN } from './len';
import { INITCAP, LOWER, UPPER } from './letter-case';
import { AND, NOT, OR } from './logic';
import { MAP } from './map';
import { REGEXP_MATCH } from './regexp-match';
import { REGEXP_REPLACE } from './regexp-replace';
import { REPLACE } from './replace';
import { ROUND } from './round';
import { SHA256 } from './sha256';
import { SPLIT } from './split';
import { SUBSTRING } from './substring';
import { LTRIM, RTRIM, TRIM } from './trim';

/** The functions of the language, by name. A new function is a new file and a row here. */
export const FUNCTIONS: ReadonlyMap<string, FunctionRow> = new Map(
  Object.entries({
    and: AND,
    array: ARRAY,
    coalesce: COALESCE,
    concat: CONCAT,
    date_format: DATE_FORMAT,
    eq: EQ,
    if: IF,
    initcap: INITCAP,
    json_parse: JSON_PARSE,
    len: LEN,
    lower: LOWER,
    ltrim: LTRIM,
    map: MAP,
    ne: NE,
    not: NOT,
    or: OR,
    regexp_match: REGEXP_MATCH,
    regexp_replace: REGEXP_REPLACE,
    replace: REPLACE,
    round: ROUND,
    rtrim: RTRIM,
    sha256: SHA256,
    split: SPLIT,
    substring: SUBSTRING,
    trim: TRIM,
    upper: UPPER,
  }),
);
