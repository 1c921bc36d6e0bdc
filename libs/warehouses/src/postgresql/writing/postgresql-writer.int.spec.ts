import { itWritesIdentities } from '../../platform/warehouse-writer.contract';
import { writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

describe('a warehouse on PostgreSQL', () => {
  itWritesIdentities((owner) => writtenStage(owner));
});
