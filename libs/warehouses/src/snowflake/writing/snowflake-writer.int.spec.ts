import { itWritesIdentities } from '../../platform/warehouse-writer.contract';
import { snowflakeOfSpecs, writtenOfSpecs } from '../stage.fixture';

jest.setTimeout(120_000);

const written = writtenOfSpecs(snowflakeOfSpecs());

describe('a warehouse on Snowflake', () => {
  itWritesIdentities(() => Promise.resolve(written()));
});
