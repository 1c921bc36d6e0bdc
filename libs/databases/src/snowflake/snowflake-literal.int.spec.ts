import { literalsContract } from '../database/literals.contract';
import { SNOWFLAKE_CASES, standOfSpecs } from './snowflake-stand.fixture';

jest.setTimeout(120_000);

const stand = standOfSpecs();

literalsContract(stand, SNOWFLAKE_CASES, {
  runs: 6,
  absent: [
    [{ kind: 'map', elementType: { kind: 'string' } }, new Map()],
    [{ kind: 'decimal', precision: 39, scale: 0 }, '1'.repeat(39)],
    [{ kind: 'decimal', precision: 38, scale: 38 }, `0.${'1'.repeat(38)}`],
  ],
});
