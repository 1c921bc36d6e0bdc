import { type ErasedStage, itErasesPeople } from '../../platform/erasing-resolved.contract';
import { ResolvingStage } from '../resolving/resolving-stage.fixture';
import { snowflakeOfSpecs } from '../stage.fixture';

jest.setTimeout(600_000);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? '3');

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
afterAll(() => stage.close());

const looks: Pick<ErasedStage, 'tableOf' | 'texts'> = {
  tableOf: (name) => stage.at(`_${name.toUpperCase()}`),
  texts: async (statement) =>
    (await stage.written.stage.rows(statement)).map(([text = null]) => text),
};

// A statement takes the stand-in ten times as long as PostgreSQL.
itErasesPeople(() => Object.assign(stage, looks), { runs: RUNS, steps: 12 });
