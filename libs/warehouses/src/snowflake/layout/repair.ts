import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { profileColumns } from '../columns/profile-columns';
import { type Place, qualified } from '../sql/names';
import { nextNumber } from './create-table';
import { createSchema, hasSchema, writeMarker } from './make-schema';
import { ownMarker, readMarker } from './marker';
import { planObjects } from './plan';
import { statements, type Step } from './step';
import { META_TABLE, tablesOf } from './tables';

/** Called with the names of what is going to be made. */
type Record = (made: readonly string[]) => Promise<void>;

/** What the marker of a warehouse lacks. */
const planMarker = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  { version }: ProfileSchema,
): Promise<readonly Step[]> => {
  const found = await readMarker(session, place);
  if (found === undefined)
    return [
      {
        name: 'marker',
        run: (using) => writeMarker(using, place, workspace, version),
      },
    ];
  const { schemaVersion } = ownMarker(found, workspace);
  if (schemaVersion > version)
    throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
  // Of a warehouse that was restored from a copy: no version is used twice.
  if (schemaVersion < version)
    return [
      statements(
        'marker',
        `UPDATE ${qualified(place, '_META')} SET "SCHEMA_VERSION" = ${String(version)}`,
      ),
    ];
  return [];
};

/**
 * Makes what is missing. All is planned before anything is changed.
 *
 * @param record is called in between, unless there is nothing to be done.
 * @returns the names of what was made.
 */
export const repair = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  profiles: ProfileSchema,
  record?: Record,
): Promise<readonly string[]> => {
  const made = (await hasSchema(session, place)) ? [] : await createSchema(session, place);
  const columns = profileColumns(profiles.schema);
  const marker = await planMarker(session, place, workspace, profiles);
  const properties = columns.map(({ name }) => name);
  const objects = await planObjects(session, place, [META_TABLE, ...tablesOf(columns)], {
    ...{ properties, firstNumber: nextNumber() },
  });
  const steps = [...objects, ...marker];
  const names = [...made, ...steps.flatMap(({ name }) => (name === '' ? [] : [name]))];
  if (names.length > 0) await record?.(names);
  for (const step of steps) await step.run(session);
  return names;
};
