import { imported } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { OPTIONS, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

jest.setTimeout(120_000);

const RESOLVING = `hashtextextended('penstock resolution ${SCHEMA}', 0)`;

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
afterAll(() => stage.close());

const countWaiting = async (): Promise<number> => {
  const rows = await stage.written.stage.rows(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.length;
};

const PROFILE = `'00000000-0000-4000-8000-000000000001'::uuid`;

it.each(['repeatable read', 'serializable'])(
  'a writer sees what a batch has changed before it, of a user whose transactions are %s',
  async (isolation) => {
    await stage.empty();
    await stage.write('c1', [imported('u', 1)]);
    await resolveAll(await stage.resolver(rules([])));
    const { stage: owner, loader } = stage.written;
    await owner.run(`ALTER ROLE ${loader} SET default_transaction_isolation = '${isolation}'`);
    const writers = await owner.writer(loader, OPTIONS);
    try {
      const events = await writers.beginEvents({ role: 'events', epoch: 1 });
      await owner.run('BEGIN', `SELECT pg_advisory_xact_lock(${RESOLVING})`);
      const written = events.write([stage.eventOf('c1', 'x', 'u')]);
      while ((await countWaiting()) === 0);
      await owner.run(`UPDATE ${SCHEMA}._identities SET _profile_id = ${PROFILE}`, 'COMMIT');
      expect(await written).toEqual([{}]);
      expect(
        await owner.rows(`SELECT profile_id = ${PROFILE} AS is FROM ${SCHEMA}._events`),
      ).toEqual([{ is: true }]);
    } finally {
      await writers.close();
      await owner.run(`ALTER ROLE ${loader} RESET default_transaction_isolation`);
    }
  },
);
