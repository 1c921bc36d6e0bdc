import { mergeContract } from '../merging/merge.contract';
import { PostgresqlStand } from './postgresql-stand.fixture';

jest.setTimeout(60_000);

let stand: PostgresqlStand;

beforeAll(async () => {
  stand = await PostgresqlStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);
