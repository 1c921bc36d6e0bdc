import type { Kind } from '@penstock/schema';
import type { Column } from './cell';
import { TO_ARRAY } from './to-array';
import { TO_BOOLEAN } from './to-boolean';
import { TO_DATE } from './to-date';
import { TO_DATETIME } from './to-datetime';
import { TO_DECIMAL } from './to-decimal';
import { TO_FLOAT } from './to-float';
import { TO_INT } from './to-int';
import { TO_IP } from './to-ip';
import { TO_JSON } from './to-json';
import { TO_MAP } from './to-map';
import { TO_OBJECT } from './to-object';
import { TO_STRING } from './to-string';
import { TO_TIME } from './to-time';
import { TO_UUID } from './to-uuid';
import { TO_YEAR } from './to-year';

/** Destination kind → source kind → conversion. A new kind is a new column and a row in every other. */
export const CONVERSIONS: { readonly [To in Kind]: Column<To> } = {
  string: TO_STRING,
  boolean: TO_BOOLEAN,
  int: TO_INT,
  float: TO_FLOAT,
  decimal: TO_DECIMAL,
  datetime: TO_DATETIME,
  date: TO_DATE,
  time: TO_TIME,
  year: TO_YEAR,
  uuid: TO_UUID,
  json: TO_JSON,
  ip: TO_IP,
  array: TO_ARRAY,
  object: TO_OBJECT,
  map: TO_MAP,
};
