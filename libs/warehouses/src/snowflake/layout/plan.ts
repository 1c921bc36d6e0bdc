import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { list, type Place, qualified } from '../sql/names';
import { type FoundRelation, readCatalogue } from './catalogue';
import { createTable } from './create-table';
import { planColumns } from './plan-columns';
import { planView } from './plan-view';
import { hasDuplicates, reduceDuplicates } from './reduce-duplicates';
import { dropStage, findLeftOvers } from './stages';
import { statements, type Step } from './step';
import type { TableDefinition } from './table-definition';

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, at) => name === other[at]);

/** Plans a key that is missing, or that rows have in common. */
const planKey = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  { key, properties, adding }: KeyOfTable,
): Promise<readonly Step[]> => {
  const isDouble = await hasDuplicates(session, place, table, key);
  if (!isDouble && adding === undefined) return [];
  return [
    {
      name: `${table.name} (${key.join(', ')})`,
      run: async (using) => {
        if (isDouble) await reduceDuplicates(using, { place, table, key, properties });
        if (adding !== undefined)
          await using.rows(
            `ALTER TABLE ${qualified(place, table.name)} ADD ${adding} (${list(key)})`,
          );
      },
    },
  ];
};

/** A key as a table must have it. */
interface KeyOfTable {
  readonly key: readonly string[];
  readonly properties: readonly string[];
  /** How it is declared where it is missing; undefined: it is there. */
  readonly adding: 'PRIMARY KEY' | 'UNIQUE' | undefined;
}

const planKeys = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  found: FoundRelation,
  properties: readonly string[],
): Promise<readonly Step[]> => {
  const { primaryKey: key, unique } = table;
  const isPrimary = same(found.primaryKey, key);
  const primary = { key, properties, adding: isPrimary ? undefined : ('PRIMARY KEY' as const) };
  const steps = await planKey(session, place, table, primary);
  if (unique === undefined) return steps;
  const isUnique = found.uniques.some((each) => same(each, unique));
  const other = { key: unique, properties, adding: isUnique ? undefined : ('UNIQUE' as const) };
  return [...steps, ...(await planKey(session, place, table, other))];
};

/** What is done with a table. */
interface PlannedTable {
  readonly steps: readonly Step[];
  /** Whether it has every column already. */
  readonly isWhole: boolean;
}

const planTable = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  found: FoundRelation | undefined,
  { properties, firstNumber }: Planned,
): Promise<PlannedTable> => {
  if (found === undefined) {
    const create = createTable(place, table, firstNumber, 'CREATE TABLE IF NOT EXISTS');
    return { steps: [statements(table.name, create)], isWhole: false };
  }
  if (found.kind !== 'TABLE')
    throw new WarehouseFault('unusable', `${table.name} is not a table: give it another name`);
  const columns = await planColumns(session, place, table, found);
  // A column that is missing may be one of a key.
  if (columns.length > 0)
    return {
      steps: [...columns, ...whenColumnsAreThere(place, table, properties)],
      isWhole: false,
    };
  return { steps: await planKeys(session, place, table, found, properties), isWhole: true };
};

/** Keys of a table that is being changed are looked at when its columns are there. */
const whenColumnsAreThere = (
  place: Place,
  table: TableDefinition,
  properties: readonly string[],
): readonly Step[] => [
  {
    name: '',
    run: async (session) => {
      const found = (await readCatalogue(session, place, new Set([table.name]))).get(table.name);
      if (found === undefined) return;
      for (const step of await planKeys(session, place, table, found, properties))
        await step.run(session);
    },
  },
];

/** How tables are made. */
interface Planned {
  /** The columns of the profile schema. */
  readonly properties: readonly string[];
  /** Of the rows of a table that is made and numbers them. */
  readonly firstNumber: number;
}

/**
 * Plans what makes every table, column, key and view that a warehouse lacks, reduces rows that have a key in common, and drops
 * staging tables that were left over. What is as it must be stays untouched.
 *
 * @throws WarehouseFault `unusable` naming what cannot be made.
 */
export const planObjects = async (
  session: SnowflakeSession,
  place: Place,
  tables: readonly TableDefinition[],
  planned: Planned,
): Promise<readonly Step[]> => {
  const found = await readCatalogue(session, place, new Set(tables.map(({ name }) => name)));
  const steps: Step[] = [];
  const views: Step[] = [];
  for (const table of tables) {
    const made = await planTable(session, place, table, found.get(table.name), planned);
    steps.push(...made.steps);
    const view = found.get(table.view ?? '');
    views.push(...(await planView(session, place, table, view, made.isWhole)));
  }
  const leftOver = (await findLeftOvers(session, place)).map((name) => ({
    name,
    run: (using: SnowflakeSession) => dropStage(using, qualified(place, name)),
  }));
  return [...steps, ...views, ...leftOver];
};
