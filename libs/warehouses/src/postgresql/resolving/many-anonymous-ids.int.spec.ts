import { imported } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

// With work that grows with the square of their number it took minutes.
jest.setTimeout(60_000);

const COUNT = 40_000;

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
afterAll(() => stage.close());

/** Names the user together with anonymous ids up to this number, as events do that have the id of a server as their user's. */
const nameWith = async (count: number): Promise<void> => {
  await stage.written.stage.run(
    `UPDATE ${SCHEMA}._identities
        SET _anonymous_times = (SELECT jsonb_object_agg('anonymous-' || n, lpad(n::text, 20, '0'))
                                FROM generate_series(1, ${count}) AS n)
      WHERE _record_id = 'system'`,
  );
  await stage.written.stage.run(
    `INSERT INTO ${SCHEMA}._dirty (identity, change, profile_id)
     SELECT _id, 'written', _profile_id FROM ${SCHEMA}._identities WHERE _record_id = 'system'
     ON CONFLICT DO NOTHING`,
  );
};

it('resolves a user with very many anonymous ids, and again when there are more', async () => {
  await stage.write('c1', [imported('system', 1, {}), imported('other', 1, {})]);
  const resolver = await stage.resolver(rules(['email']));
  for (const count of [COUNT, COUNT + 1]) {
    await nameWith(count);
    await resolveAll(resolver);
    const [row] = await stage.written.stage.rows(
      `SELECT count(*)::int AS count FROM ${SCHEMA}._identity_keys AS k
       JOIN ${SCHEMA}._identities AS i ON i._id = k.identity WHERE i._record_id = 'system'`,
    );
    // Of each a claim, and as it is the owner's; and the key of the user.
    expect(row).toEqual({ count: 2 * count + 1 });
  }
  expect(await stage.profiles()).toHaveLength(2);
});
