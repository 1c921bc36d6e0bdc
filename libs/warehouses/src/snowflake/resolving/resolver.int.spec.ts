import { itKeepsResolversInBounds } from '../../platform/resolver.contract';
import { snowflakeOfSpecs } from '../stage.fixture';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

itKeepsResolversInBounds(() => stage);
