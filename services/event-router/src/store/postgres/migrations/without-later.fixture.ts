import { WITHOUT_JOBS } from './without-jobs.fixture';
import { WITHOUT_METRICS_OVER_TIME } from './without-metrics-over-time.fixture';
import { WITHOUT_REPLAY_DELIVERIES } from './without-replay-deliveries.fixture';
import { WITHOUT_REPLAYS } from './without-replays.fixture';
import { WITHOUT_SHOWN_REPLAYS } from './without-shown-replays.fixture';
import { WITHOUT_TRACES } from './without-traces.fixture';

/** Takes back what the steps after version 5 have made, the newest first. */
export const WITHOUT_LATER = [
  'ALTER TABLE penstock_router.audiences DROP COLUMN written;',
  WITHOUT_SHOWN_REPLAYS,
  WITHOUT_REPLAY_DELIVERIES,
  'DROP TABLE penstock_router.alert_evaluation, penstock_router.alert_holding, penstock_router.alert_notifications;',
  'DROP TABLE penstock_router.refused_events;',
  WITHOUT_METRICS_OVER_TIME,
  WITHOUT_REPLAYS,
  WITHOUT_JOBS,
  WITHOUT_TRACES,
  'DROP TABLE penstock_router.observations;',
].join('\n');
