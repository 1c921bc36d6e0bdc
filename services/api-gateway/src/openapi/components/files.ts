import {
  ANY_OBJECT,
  arrayOf,
  described,
  type JsonSchema,
  object,
  ref,
  TEXT,
} from '../schema/json-schema';
import { withExample } from './answer';
import { SCHEMA_EXAMPLE } from './notation';

/** Components for the files of storages. */
export const FILES: Readonly<Record<string, JsonSchema>> = {
  FormatSettings: described(ANY_OBJECT, 'Settings of a format, such as `{"hasColumnNames":true}`.'),
  FileExcerpt: withExample(
    object({
      records: arrayOf(ANY_OBJECT),
      schema: ref('Schema'),
      issues: described(arrayOf(TEXT), 'Columns and records that are left out, and why.'),
    }),
    {
      records: [{ email: 'ada@example.com', itemId: 42 }],
      schema: SCHEMA_EXAMPLE,
      issues: ['row 7: has 3 cells instead of 2'],
    },
  ),
  SheetList: withExample(object({ sheets: arrayOf(TEXT) }), { sheets: ['Users', 'Archive'] }),
  AbsolutePath: withExample(object({ path: TEXT }), { path: 's3://exports/users.csv' }),
};
