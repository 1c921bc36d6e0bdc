import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import {
  META_TABLE as POSTGRESQL_META,
  tablesOf as postgresqlTables,
} from '../../postgresql/layout/tables';
import { profileColumns } from '../columns/profile-columns';
import { META_TABLE, tablesOf } from './tables';

const tables = [META_TABLE, ...tablesOf(profileColumns(FIRST_PROFILE_SCHEMA.schema))];
const theirs = [POSTGRESQL_META, ...postgresqlTables([])];

it('has the tables and views of the other platform, in capitals', () => {
  const capitals = (names: readonly (string | undefined)[]) =>
    names.map((name) => name?.toUpperCase()).sort();
  expect(tables.map(({ name }) => name).sort()).toEqual(capitals(theirs.map(({ name }) => name)));
  expect(tables.map(({ view }) => view).sort()).toEqual(capitals(theirs.map(({ view }) => view)));
});

it('has the columns and keys of the other platform, in their order', () => {
  const ownColumns = ['CHANGING', 'CHANGED', 'CHANGING_TO', 'EMAIL', 'FIRST_NAME', 'LAST_NAME'];
  for (const theirTable of theirs) {
    const table = tables.find(({ name }) => name === theirTable.name.toUpperCase());
    const capitals = (names: readonly string[] = []) => names.map((name) => name.toUpperCase());
    expect(
      table?.columns.map(({ name }) => name).filter((name) => !ownColumns.includes(name)),
    ).toEqual(capitals(theirTable.columns.map(({ name }) => name)));
    expect(table?.primaryKey).toEqual(capitals(theirTable.primaryKey));
    expect(table?.unique ?? []).toEqual(capitals(theirTable.unique));
  }
});

it('has a column for each property', () => {
  for (const name of ['_IDENTITIES', '_PROFILES'])
    expect(tables.find((table) => table.name === name)?.columns.slice(-3)).toEqual(
      ['EMAIL', 'FIRST_NAME', 'LAST_NAME'].map((column) => ({
        name: column,
        type: expect.stringMatching(/^VARCHAR\(\d+\)$/) as string,
      })),
    );
});
