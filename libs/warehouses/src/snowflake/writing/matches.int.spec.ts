import { itKeepsMatches } from '../../platform/match-writer.contract';
import { snowflakeOfSpecs, writtenStage } from '../stage.fixture';

jest.setTimeout(120_000);

const server = snowflakeOfSpecs();

describe('a warehouse on Snowflake', () => {
  itKeepsMatches(async (owner) => {
    const { stage, open, close } = await writtenStage(server(), owner);
    const table = stage.at('_MATCHES');
    return {
      ...{ open, close },
      kept: async () =>
        (await stage.rows(`SELECT "EXTERNAL_ID" FROM ${table}`)).map(([id]) => String(id)),
      clear: () => stage.rows(`DELETE FROM ${table}`),
    };
  });
});
