import { readerContract } from '../../platform/warehouse-reader.contract';
import { compareIps } from './compare-ips.fixture';
import { PostgresqlReadStage } from './read-stage.fixture';

jest.setTimeout(60_000);

let stage: PostgresqlReadStage;

beforeAll(async () => {
  stage = await PostgresqlReadStage.open();
});
afterAll(() => stage.close());

readerContract(() => stage, {
  fractionDigits: 6,
  compareIps,
  runs: process.env['PENSTOCK_TEST_LONG'] === '1' ? 12 : 6,
});
