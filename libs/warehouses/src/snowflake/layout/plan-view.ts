import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { catalogue, type Place, qualified } from '../sql/names';
import type { FoundRelation } from './catalogue';
import { createView } from './create-table';
import { statements, type Step } from './step';
import type { TableDefinition } from './table-definition';

/** A view is compared with one of this name, which is made from its definition and dropped. */
const PATTERN = '_VIEW_PATTERN';

/** What a view shows, as the server tells it. */
const definition = async (
  session: SnowflakeSession,
  place: Place,
  view: string,
): Promise<string | undefined> => {
  const [row] = await session.rows(
    `SELECT VIEW_DEFINITION FROM ${catalogue(place, 'VIEWS')} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`,
    [place.schema, view],
  );
  const text = row?.[0] ?? '';
  return /\sAS\s(.*)$/is.exec(text)?.[1];
};

const isAsDefined = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  view: string,
): Promise<boolean> => {
  const present = await definition(session, place, view);
  try {
    await session.rows(createView(place, table, PATTERN));
    return present !== undefined && present === (await definition(session, place, PATTERN));
  } finally {
    await session.rows(`DROP VIEW IF EXISTS ${qualified(place, PATTERN)}`);
  }
};

/**
 * Plans the view of a table where it is missing or not as it must be; the rights on it are kept.
 *
 * @param found what has the view's name.
 * @param isWhole whether the table has every column: the view is made anew otherwise.
 * @throws WarehouseFault `unusable` when something else has its name.
 */
export const planView = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  found: FoundRelation | undefined,
  isWhole: boolean,
): Promise<readonly Step[]> => {
  const { view } = table;
  if (view === undefined) return [];
  if (found !== undefined && found.kind !== 'VIEW')
    throw new WarehouseFault('unusable', `${view} is not a view: give it another name`);
  const isGood = found !== undefined && isWhole && (await isAsDefined(session, place, table, view));
  return isGood ? [] : [statements(view, createView(place, table, view))];
};
