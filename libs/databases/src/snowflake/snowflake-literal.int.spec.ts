import { literalsContract } from '../database/literals.contract';
import { SNOWFLAKE_CASES, SnowflakeStand } from './snowflake-stand.fixture';

// Packages of Python may have to be installed first.
jest.setTimeout(300_000);

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
});
afterAll(() => stand.close());

literalsContract(() => stand, SNOWFLAKE_CASES, {
  runs: 6,
  absent: [
    [{ kind: 'map', elementType: { kind: 'string' } }, new Map()],
    [{ kind: 'decimal', precision: 39, scale: 0 }, '1'.repeat(39)],
    [{ kind: 'decimal', precision: 38, scale: 38 }, `0.${'1'.repeat(38)}`],
  ],
});
