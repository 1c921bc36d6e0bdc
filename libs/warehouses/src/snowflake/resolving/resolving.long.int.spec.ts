import { itResolves } from '../../platform/resolving.contract';
import { snowflakeOfSpecs } from '../stage.fixture';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(600_000);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? '2');

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
afterAll(() => stage.close());

// A statement takes the stand-in ten times as long as PostgreSQL.
itResolves(() => stage, { runs: RUNS, steps: 10, wholes: RUNS });
