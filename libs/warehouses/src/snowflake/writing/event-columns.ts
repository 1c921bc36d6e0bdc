import { type BoundRow, snowflakeName } from '@penstock/databases';
import type { RecordValue } from '@penstock/schema';
import { valueAt } from '../../profiles/value-columns';
import { EVENT_COLUMNS } from '../layout/event-columns';
import { stagedSql } from '../columns/staged-text';
import { cellOf } from '../columns/value-text';
import { wellFormedCell } from '../sql/well-formed';

/** An event as cells of {@link EVENT_COLUMNS}. */
export const eventCells = (event: RecordValue): BoundRow =>
  EVENT_COLUMNS.map(({ type, path, fractionDigits }) =>
    wellFormedCell(cellOf(type, valueAt(event, path), fractionDigits)),
  );

/** SQL of the values of the columns of staged events, by their names. @param row of the staging table */
export const eventValues = (row: string): readonly string[] =>
  EVENT_COLUMNS.map(({ name, sqlType }) => {
    const column = snowflakeName(name);
    return `${stagedSql(sqlType, `${row}.${column}`)} AS ${column}`;
  });
