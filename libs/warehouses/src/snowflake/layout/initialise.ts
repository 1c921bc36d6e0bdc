import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { type Initialised, type InitialiseOptions, WarehouseFault } from '../../platform/warehouse';
import { profileColumns } from '../columns/profile-columns';
import { catalogue, type Place, qualified } from '../sql/names';
import { changedRows, transaction } from '../sql/transaction';
import { createTable, createView } from './create-table';
import { lockWarehouse } from './guard';
import { createSchema, hasSchema, writeMarker } from './make-schema';
import { ownMarker, readMarker } from './marker';
import { repair } from './repair';
import { META_TABLE, tablesOf } from './tables';

const FIRST = 1;

const TABLES = [META_TABLE, ...tablesOf(profileColumns(FIRST_PROFILE_SCHEMA.schema))];

/** Tables and views: whatever else there may be hinders nobody. */
const countObjects = async (session: SnowflakeSession, place: Place): Promise<number> => {
  const rows = await session.rows(
    `SELECT TABLE_NAME FROM ${catalogue(place, 'TABLES')} WHERE TABLE_SCHEMA = ?
     UNION SELECT TABLE_NAME FROM ${catalogue(place, 'VIEWS')} WHERE TABLE_SCHEMA = ?`,
    [place.schema, place.schema],
  );
  return rows.length;
};

const dropObjects = async (session: SnowflakeSession, place: Place): Promise<void> => {
  for (const { view } of TABLES)
    if (view !== undefined) await session.rows(`DROP VIEW IF EXISTS ${qualified(place, view)}`);
  // Who finds the first table finds the others, too.
  for (const { name } of [...TABLES].reverse())
    await session.rows(`DROP TABLE IF EXISTS ${qualified(place, name)}`);
};

/** Executes statements of which none depends on another one at the same time: each takes long, and there are ten seconds. */
const atOnce = async (session: SnowflakeSession, statements: readonly string[]): Promise<void> => {
  const outcomes = await Promise.allSettled(statements.map((each) => session.rows(each)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
};

/** Whoever makes the first table makes all of them: for another one it is there. */
const makeObjects = async (session: SnowflakeSession, place: Place): Promise<void> => {
  await session.rows(createTable(place, META_TABLE, FIRST, 'CREATE TABLE'));
  try {
    await atOnce(
      session,
      TABLES.slice(1).map((table) => createTable(place, table, FIRST, 'CREATE TABLE')),
    );
    await atOnce(
      session,
      TABLES.flatMap((table) =>
        table.view === undefined ? [] : [createView(place, table, table.view)],
      ),
    );
  } catch (error) {
    await dropObjects(session, place).catch(() => undefined);
    throw error;
  }
};

/** Gives the warehouse to another workspace, unless somebody was faster. @param more is executed with it */
const changeOwner = (
  session: SnowflakeSession,
  place: Place,
  from: WorkspaceId,
  to: WorkspaceId,
  more: readonly string[] = [],
): Promise<void> =>
  transaction(session, async () => {
    await lockWarehouse(session, place);
    const changed = await session.rows(
      `UPDATE ${qualified(place, '_META')} SET "WORKSPACE" = ? WHERE "WORKSPACE" = ?`,
      [to, from],
    );
    if (changedRows(changed) === 0)
      throw new WarehouseFault('busy', 'data warehouse is being given to another workspace');
    for (const statement of more) await session.rows(statement);
  });

/** What is there becomes the workspace's: nothing of who wrote for the former one is of importance any more. */
const takeOver = async (
  session: SnowflakeSession,
  place: Place,
  former: WorkspaceId,
  workspace: WorkspaceId,
): Promise<void> => {
  await changeOwner(session, place, former, workspace, [
    `UPDATE ${qualified(place, '_META')} SET "SCHEMA_VERSION" = ${String(FIRST_PROFILE_SCHEMA.version)},
     "CHANGING" = NULL, "CHANGED" = NULL, "CHANGING_TO" = NULL`,
    `DELETE FROM ${qualified(place, '_FENCES')}`,
  ]);
  await repair(session, place, workspace, FIRST_PROFILE_SCHEMA);
};

/**
 * Makes the schema where it is missing and, when there is nothing in it, all that a warehouse holds; the marker comes last. One
 * that its owner has freed is passed on.
 *
 * @returns undefined when it is the workspace's already, and for a dry run, which only looks.
 */
export const initialise = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  { isDryRun = false, isFreed = () => Promise.resolve(false) }: InitialiseOptions,
): Promise<Initialised | undefined> => {
  const isThere = await hasSchema(session, place);
  const owner = isThere ? (await readMarker(session, place))?.workspace : undefined;
  if (owner === workspace) return undefined;
  if (owner !== undefined && (await isFreed(owner))) {
    if (isDryRun) return undefined;
    await takeOver(session, place, owner, workspace);
    return { formerOwner: owner };
  }
  const count = isThere ? await countObjects(session, place) : 0;
  if (count > 0)
    throw new WarehouseFault('unusable', `schema is not empty: it holds ${String(count)} objects`);
  if (isDryRun) return undefined;
  await createSchema(session, place);
  await makeObjects(session, place);
  await writeMarker(session, place, workspace, FIRST_PROFILE_SCHEMA.version);
  return { formerOwner: undefined };
};

/** Undoes {@link initialise}; a schema that it has created stays, empty. */
export const release = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  { formerOwner }: Initialised,
): Promise<void> => {
  const marker = await readMarker(session, place);
  if (marker?.workspace !== workspace) return;
  ownMarker(marker, workspace);
  if (formerOwner === undefined) await dropObjects(session, place);
  else await changeOwner(session, place, workspace, formerOwner);
};
