import { mergeContract } from '../merging/merge.contract';
import { ClickhouseStand } from './clickhouse-stand.fixture';

jest.setTimeout(60_000);

let stand: ClickhouseStand;

beforeAll(async () => {
  stand = await ClickhouseStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);
