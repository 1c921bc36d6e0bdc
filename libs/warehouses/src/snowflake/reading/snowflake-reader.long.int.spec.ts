import { compareCodePoints } from '@penstock/schema';
import { readerContract } from '../../platform/warehouse-reader.contract';
import { MICROSECONDS } from '../profiles.fixture';
import { INSTALL_TIMEOUT_MS } from '../stand.fixture';
import { SnowflakeReadStage } from './read-stage.fixture';

jest.setTimeout(300_000);

let stage: SnowflakeReadStage;

beforeAll(async () => {
  stage = await SnowflakeReadStage.open();
}, INSTALL_TIMEOUT_MS);
afterAll(() => stage.close());

readerContract(() => stage, {
  fractionDigits: MICROSECONDS,
  // Addresses are texts.
  compareIps: compareCodePoints,
  runs: 2,
});
