import { IS_LONG, itEndsEveryDeliveryOnce } from './testing/model/model-runs.fixture';

itEndsEveryDeliveryOnce({
  firstSeed: 600_000,
  runs: IS_LONG ? 5_000 : 40,
  file: 'services/event-router/src/router-model-replays.spec.ts',
  project: 'unit',
  traits: { replays: true },
});
