import { itErases } from '../../platform/eraser.contract';
import type { Erasing } from '../../platform/erasing-stage.fixture';
import { MINE } from '../../platform/warehouse-writer.contract';
import { keyOfRecord } from '../resolving/identity-keys';
import { SCHEMA } from '../stage.fixture';
import { writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(120_000);

const open = async (): Promise<Erasing> => {
  const written = await writtenStage(MINE);
  const { stage, identities, stages, close } = written;
  return {
    ...{ identities, stages, close, keyOfRecord },
    open: (options) => written.open(options),
    run: (statement) => stage.run(statement),
    cells: async (statement) =>
      (await stage.rows(statement)).map((row) => Object.values(row as Record<string, string>)),
    table: (name) => `${SCHEMA}.${name}`,
    column: (name) => `"${name}"`,
    json: (text) => `'${text}'::jsonb`,
    numbers: (count) => `(SELECT n FROM generate_series(0, ${String(count - 1)}) AS n)`,
    whileFailing: async (table, work) => {
      await stage.run(
        `CREATE OR REPLACE FUNCTION ${SCHEMA}.fail() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'killed'; END $$`,
        `CREATE TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON ${SCHEMA}.${table} EXECUTE FUNCTION ${SCHEMA}.fail()`,
      );
      try {
        await expect(work()).rejects.toThrow('killed');
      } finally {
        await stage.run(`DROP FUNCTION ${SCHEMA}.fail() CASCADE`);
      }
    },
  };
};

describe('a warehouse on PostgreSQL', () => {
  itErases(open);
});
