import { sharedOldPostgres } from '@penstock/test-servers';
import { itWritesIdentities } from '../../platform/warehouse-writer.contract';
import { writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

describe('a warehouse on PostgreSQL', () => {
  itWritesIdentities((owner) => writtenStage(owner));
});

const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';

(isFoundForThisMachine ? describe : describe.skip)('a warehouse on PostgreSQL 13', () => {
  let old: string | undefined;
  beforeAll(async () => {
    old = await sharedOldPostgres();
  });

  itWritesIdentities((owner) => {
    if (old === undefined) throw new Error('npm ci has not installed PostgreSQL 13');
    return writtenStage(owner, old);
  });
});
