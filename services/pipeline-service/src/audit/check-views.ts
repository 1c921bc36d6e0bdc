import type { ConfigurationState, DataKey } from '@penstock/contracts';
import { In, type EntityManager, type ObjectLiteral } from 'typeorm';
import type { Differences } from '@penstock/platform';
import type { View } from '../read-model/view';
import { VIEWS } from '../read-model/views';

/** Bounds memory: a state may have a megabyte. */
const OBJECTS_PER_PAGE = 40;
const STRAYS = 1_000;

const NEWEST = `
  SELECT fact.stream, fact.state FROM penstock.facts fact
  WHERE fact.stream > $1 AND fact.stream LIKE $2 || '-%'
    AND NOT EXISTS (SELECT FROM penstock.facts later
                    WHERE later.stream = fact.stream AND later.version = fact.version + 1)
  ORDER BY fact.stream LIMIT ${String(OBJECTS_PER_PAGE)}`;

type StateOf<Kind extends ConfigurationState['kind']> = Extract<
  ConfigurationState,
  { readonly kind: Kind }
>;

/** The newest states of the objects of a kind, page by page. */
async function* newestStates<Kind extends ConfigurationState['kind']>(
  db: EntityManager,
  kind: Kind,
): AsyncGenerator<readonly StateOf<Kind>[]> {
  for (let last = ''; ;) {
    const rows = await db.query<{ stream: string; state: StateOf<Kind> }[]>(NEWEST, [last, kind]);
    if (rows.length === 0) return;
    yield rows.map(({ state }) => state);
    last = rows.at(-1)?.stream ?? last;
  }
}

/** The table of a view, with the keys of its rows. */
class Table {
  private readonly metadata;

  constructor(
    private readonly db: EntityManager,
    private readonly view: View,
  ) {
    this.metadata = db.dataSource.getMetadata(view.row);
  }

  readonly where = (key: string): string => `${this.metadata.tablePath} ${key}`;

  byKey(rows: readonly ObjectLiteral[]): Map<string, object> {
    return new Map(rows.map((row) => [this.keyOf(row), row]));
  }

  async rowsOf(ids: readonly string[]): Promise<Map<string, object>> {
    return this.byKey(
      await this.db.find(this.view.row, { where: { [this.view.object]: In(ids) } }),
    );
  }

  /** Keys of rows of objects without facts. */
  async strays(): Promise<string[]> {
    const rows = await this.db
      .createQueryBuilder(this.view.row, 'own')
      .where(
        `NOT EXISTS (SELECT FROM penstock.facts
                     WHERE stream = :prefix || own.${this.view.object})`,
        { prefix: `${this.view.kind}-` },
      )
      .limit(STRAYS)
      .getMany();
    return rows.map((row) => this.keyOf(row));
  }

  private keyOf(row: ObjectLiteral): string {
    return this.metadata.primaryColumns
      .map(({ propertyName }) => String(row[propertyName]))
      .join(' ');
  }
}

const checkView = async (
  db: EntityManager,
  view: View,
  differences: Differences,
): Promise<void> => {
  const table = new Table(db, view);
  for await (const states of newestStates(db, view.kind)) {
    const expected = table.byKey(states.flatMap(view.rowsOf));
    differences.compareAll(table.where, expected, await table.rowsOf(states.map(({ id }) => id)));
  }
  for (const key of await table.strays())
    differences.report(table.where(key), 'should not be there');
};

/** Compares every view with the rows that follow from the newest states, within the snapshot of the transaction. */
export const checkViews = async (db: EntityManager, differences: Differences): Promise<void> => {
  for (const view of VIEWS) await checkView(db, view, differences);
};

/** Checks that every workspace has a data key, and deleted or unknown ones have none. */
export const checkDataKeys = async (
  db: EntityManager,
  dataKeys: ReadonlyMap<string, DataKey>,
  differences: Differences,
): Promise<void> => {
  const expected = new Map<string, object>();
  for await (const states of newestStates(db, 'workspace'))
    for (const { id: workspace, deleted } of states)
      if (!deleted) expected.set(workspace, { workspace });
  const actual = new Map([...dataKeys.keys()].map((workspace) => [workspace, { workspace }]));
  differences.compareAll((workspace) => `penstock.data_keys ${workspace}`, expected, actual);
};
