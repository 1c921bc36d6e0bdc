import { itResolves } from '../../platform/resolving.contract';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? '20');

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
afterAll(() => stage.close());

itResolves(() => stage, { runs: RUNS, steps: 30, wholes: RUNS });
