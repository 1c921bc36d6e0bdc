import { itErases } from '../../platform/eraser.contract';
import type { Erasing } from '../../platform/erasing-stage.fixture';
import { MINE } from '../../platform/warehouse-writer.contract';
import { keyOfRecord } from '../resolving/identity-keys';
import { snowflakeOfSpecs, writtenStage } from '../stage.fixture';
import { reachOf } from './erase-events';

jest.setTimeout(300_000);

const server = snowflakeOfSpecs();

const open = async (): Promise<Erasing> => {
  const written = await writtenStage(server(), MINE);
  const { stage, identities, stages, close } = written;
  const tableOf = (name: string): string => stage.at(name.toUpperCase());
  return {
    ...{ identities, stages, close, keyOfRecord },
    open: (options) => written.open(options),
    run: (statement) => stage.rows(statement),
    cells: (statement) => stage.rows(statement),
    table: tableOf,
    column: (name) => `"${name.toUpperCase()}"`,
    json: (text) => `PARSE_JSON('${text}')`,
    numbers: (count) =>
      `(SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) - 1 AS n FROM TABLE(GENERATOR(ROWCOUNT => ${String(count)})))`,
    // There are no triggers: a table that is away fails whatever writes to it.
    whileFailing: async (table, work) => {
      const [at, away] = [tableOf(table), tableOf(`${table}_away`)];
      await stage.rows(`ALTER TABLE ${at} RENAME TO ${away}`);
      try {
        await expect(work()).rejects.toMatchObject({ name: 'WarehouseFault' });
      } finally {
        await stage.rows(`ALTER TABLE ${away} RENAME TO ${at}`);
      }
    },
  };
};

describe('a warehouse on Snowflake', () => {
  itErases(open);
});

it.each([
  ['as many whole records as there is room for', ['3000', '7000', '1'], '2', '2'],
  ['all of them', ['1', '0', '0'], '3', '3'],
  ['a part of a record that has more', ['10001', '0'], '1', undefined],
])('a piece goes through %s', (_, counts, upTo, ended) => {
  const rows = counts.map((count, index) => [String(index + 1), count]);
  expect(reachOf(rows)).toEqual({ upTo, ended });
});
