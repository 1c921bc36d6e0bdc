import fc from 'fast-check';
import { databaseContract } from '../database/database.contract';
import { literalsContract } from '../database/literals.contract';
import { LITERAL_CASES, type LiteralCase } from '../database/literals.fixture';
import { ClickhouseStand } from './clickhouse-stand.fixture';

jest.setTimeout(60_000);

let stand: ClickhouseStand;

beforeAll(async () => {
  stand = await ClickhouseStand.open();
});
afterAll(() => stand.close());

databaseContract(() => stand);

/** Of the years 1971 to 2105. */
const moments = fc
  .integer({ min: 31_536_000, max: 4_260_000_000 })
  .map((seconds) => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`);

/** Debian's server has only whole seconds, decimals of 38 digits, and rounds floats that it reads. */
const CASES: readonly LiteralCase[] = [
  ...LITERAL_CASES.filter(({ name }) => !/float|decimal|date/.test(name)),
  { name: 'datetime', type: { kind: 'datetime' }, values: moments },
  { name: 'date', type: { kind: 'date' }, values: moments.map((each) => each.slice(0, 10)) },
];

describe('a literal', () => {
  literalsContract(() => stand, CASES);
});
