import { itResolves } from '../../platform/resolving.contract';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const RUNS = Number(
  process.env['PROPERTY_RUNS'] ?? (process.env['PENSTOCK_TEST_LONG'] === '1' ? '20' : '8'),
);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
afterAll(() => stage.close());

itResolves(() => stage, { runs: RUNS, steps: 30, wholes: RUNS });
