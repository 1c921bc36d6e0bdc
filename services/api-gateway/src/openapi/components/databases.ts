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

/** Components for databases. */
export const DATABASES: Readonly<Record<string, JsonSchema>> = {
  QueryExcerpt: withExample(
    object({
      rows: arrayOf(ANY_OBJECT),
      schema: ref('Schema'),
      issues: described(arrayOf(TEXT), 'Columns and rows that are left out, and why.'),
    }),
    {
      rows: [{ email: 'ada@example.com', itemId: 42 }],
      schema: SCHEMA_EXAMPLE,
      issues: ['column 3 ("photo") is left out: type bytea is not supported'],
    },
  ),
  TableExcerpt: withExample(
    object({
      schema: ref('Schema'),
      issues: described(arrayOf(TEXT), 'Columns that are left out, and why.'),
    }),
    { schema: SCHEMA_EXAMPLE, issues: [] },
  ),
};
