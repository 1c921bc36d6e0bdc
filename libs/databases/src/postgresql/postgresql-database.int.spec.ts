import { databaseContract } from '../database/database.contract';
import { literalsContract } from '../database/literals.contract';
import { call, settingsOf } from '../reading.fixture';
import { PostgresqlStand } from './postgresql-stand.fixture';

jest.setTimeout(60_000);

let stand: PostgresqlStand;

beforeAll(async () => {
  stand = await PostgresqlStand.open();
});
afterAll(() => stand.close());

databaseContract(() => stand);
describe('a literal', () => {
  literalsContract(() => stand);
});

it('a schema that is not there fails a check', async () => {
  const settings = settingsOf({ ...stand.settings(), schema: 'elsewhere' });
  await expect(stand.database.check(settings, call())).rejects.toMatchObject({
    kind: 'Refused',
    message: 'schema does not exist',
  });
});
