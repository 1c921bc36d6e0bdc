import { IS_LONG, itEndsEveryDeliveryOnce } from './testing/model/model-runs.fixture';
import { PostgresForModel } from './testing/model/postgres-storage.fixture';

itEndsEveryDeliveryOnce({
  firstSeed: 1,
  runs: IS_LONG ? 5_000 : 6,
  file: 'router-model.int.spec',
  project: 'integration',
  openStorage: PostgresForModel.forEachRun().openStorage,
});
