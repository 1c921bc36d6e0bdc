import { itWritesIdentities } from '../../platform/warehouse-writer.contract';
import { snowflakeOfSpecs, writtenStage } from '../stage.fixture';

jest.setTimeout(120_000);

const server = snowflakeOfSpecs();

describe('a warehouse on Snowflake', () => {
  itWritesIdentities((owner) => writtenStage(server(), owner));
});
