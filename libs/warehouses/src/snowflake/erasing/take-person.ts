import { MAX_ERASED } from '../../platform/eraser';
import type { Execute } from '../resolving/batch';
import { changedRows } from '../sql/transaction';
import {
  countWithoutKeys,
  deleteAliases,
  deleteHistory,
  deleteIdentities,
  deleteMarks,
  deleteProfile,
  fillStage,
  fillOthers,
  keepNames,
  noteOwned,
  noteRecords,
  type Person,
  recordDeletion,
} from './person-statements';

/** What taking a person out has deleted. */
export interface Taken {
  readonly profiles: number;
  readonly identities: number;
  readonly history: number;
}

/**
 * Takes one person out of the tables of identities and profiles. Within a transaction that has the lock of the warehouse.
 *
 * @returns undefined when there are too many identities for one person: nothing was changed then
 */
export const takePerson = async (execute: Execute, person: Person): Promise<Taken | undefined> => {
  const count = async (statement: string): Promise<number> => changedRows(await execute(statement));
  if ((await count(fillStage(person))) > MAX_ERASED) return undefined;
  await execute(noteRecords(person));
  const [withoutKeys] = await execute(countWithoutKeys(person));
  if (Number(withoutKeys?.[0]) > 0) await execute(noteOwned(person));
  await execute(fillOthers(person));
  for (const statement of deleteMarks(person)) await execute(statement);
  const identities = await count(deleteIdentities(person));
  await execute(keepNames(person));
  const history = await count(deleteHistory(person));
  await execute(deleteAliases(person));
  await execute(recordDeletion(person));
  return { identities, history, profiles: await count(deleteProfile(person)) };
};
