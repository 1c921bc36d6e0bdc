import { itKeepsHistory } from '../../platform/history.contract';
import { snowflakeOfSpecs } from '../stage.fixture';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
afterAll(() => stage.close());
beforeEach(() => stage.empty());

itKeepsHistory(() => stage);
