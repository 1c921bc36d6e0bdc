import { itResolvesWhatIsWritten } from '../../platform/resolving-writes.contract';
import { snowflakeOfSpecs } from '../stage.fixture';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(600_000);

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

itResolvesWhatIsWritten(() => stage, { rounds: 3, few: 35 });
