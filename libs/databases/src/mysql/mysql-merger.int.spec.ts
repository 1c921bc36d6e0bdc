import { mergeContract } from '../merging/merge.contract';
import { MysqlStand } from './mysql-stand.fixture';

jest.setTimeout(60_000);

let stand: MysqlStand;

beforeAll(async () => {
  stand = await MysqlStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);
