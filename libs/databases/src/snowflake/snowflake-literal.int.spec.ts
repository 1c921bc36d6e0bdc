import { literalsContract } from '../database/literals.contract';
import { SNOWFLAKE_CASES, SnowflakeStand } from './snowflake-stand.fixture';

jest.setTimeout(120_000);
/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
}, INSTALL_TIMEOUT_MS);
afterAll(() => stand.close());

literalsContract(() => stand, SNOWFLAKE_CASES, {
  runs: 6,
  absent: [
    [{ kind: 'map', elementType: { kind: 'string' } }, new Map()],
    [{ kind: 'decimal', precision: 39, scale: 0 }, '1'.repeat(39)],
    [{ kind: 'decimal', precision: 38, scale: 38 }, `0.${'1'.repeat(38)}`],
  ],
});
