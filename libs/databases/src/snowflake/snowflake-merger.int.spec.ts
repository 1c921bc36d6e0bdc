import { mergeContract } from '../merging/merge.contract';
import { SnowflakeStand } from './snowflake-stand.fixture';

jest.setTimeout(120_000);
/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
}, INSTALL_TIMEOUT_MS);
afterAll(() => stand.close());

mergeContract(() => stand);
