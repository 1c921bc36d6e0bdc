import { MemoryWarehouse, MemoryWriter } from './memory-writer.fixture';
import { itWritesIdentities } from './warehouse-writer.contract';

describe('a warehouse in memory', () => {
  itWritesIdentities((workspace) => {
    const warehouse = new MemoryWarehouse();
    warehouse.owner = workspace;
    return Promise.resolve({
      open: (options) => Promise.resolve(new MemoryWriter(warehouse, options)),
      identities: () => Promise.resolve(warehouse.identities()),
      stages: () => Promise.resolve([]),
      setSchemaVersion: (version) => {
        warehouse.schemaVersion = version;
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  });
});
