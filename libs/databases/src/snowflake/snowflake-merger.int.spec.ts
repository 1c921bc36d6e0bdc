import { mergeContract } from '../merging/merge.contract';
import { SnowflakeStand } from './snowflake-stand.fixture';

jest.setTimeout(120_000);

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);
