import { mergeContract } from '../merging/merge.contract';
import { SnowflakeStand } from './snowflake-stand.fixture';

// Packages of Python may have to be installed first.
jest.setTimeout(300_000);

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);
