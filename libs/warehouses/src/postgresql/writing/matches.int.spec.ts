import { itKeepsMatches } from '../../platform/match-writer.contract';
import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

describe('a warehouse on PostgreSQL', () => {
  itKeepsMatches(async (owner) => {
    const { stage, open, close } = await writtenStage(owner);
    return {
      ...{ open, close },
      kept: async () => {
        const rows = await stage.rows(`SELECT external_id FROM ${SCHEMA}._matches`);
        return rows.map((row) => (row as { readonly external_id: string }).external_id);
      },
      clear: () => stage.run(`DELETE FROM ${SCHEMA}._matches`),
    };
  });

  it('leaves out ids that are too long for an index', async () => {
    const written = await writtenStage(MINE);
    const writer = await written.open(OPTIONS);
    const matches = await writer.beginMatches({ role: 'run r1', epoch: 1 }, 'p r1');
    await matches.put([{ externalId: 'u'.repeat(2_000), value: 'a' }]);
    expect(await matches.find(['a'], 5)).toEqual([]);
    await writer.close();
    await written.close();
  });
});
