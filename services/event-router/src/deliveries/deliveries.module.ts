import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Pool } from 'pg';
import { RefusedEventsTable } from '../refused/refused-events-table';
import { ReplayCreation } from '../replays/replay-creation';
import { ReplayTelling } from '../replays/replay-telling';
import { Replays } from '../replays/replays';
import { AlertStore } from '../store/alerts/alert-store';
import { JobStore } from '../store/jobs/job-store';
import { PostgresAlerts } from '../store/postgres/alerts/alerts';
import { PostgresJobs } from '../store/postgres/jobs';
import { PostgresRedrives } from '../store/postgres/redrives/redrives';
import { PostgresReplayDeliveries } from '../store/postgres/replay-deliveries';
import { Database } from '../store/postgres/sql/database';
import { RedriveStore } from '../store/redrive-store';
import { ReplayDeliveryStore } from '../store/replay-delivery-store';
import { Accesses } from './accesses';
import { CancelRedrive } from './cancel-redrive';
import { CancelReplay } from './cancel-replay';
import { CountDeliveries } from './count-deliveries';
import { CountRefusedEvents } from './count-refused-events';
import { CountReplayEvents } from './count-replay-events';
import { CreateRedrive } from './create-redrive';
import { CreateReplay } from './create-replay';
import { DeliveryReads } from './delivery-reads';
import { EventTraces } from './event-traces';
import { GetConnectionMetrics } from './get-connection-metrics';
import { GetConservation } from './get-conservation';
import { GetDelivery } from './get-delivery';
import { GetPipelineMetrics } from './get-pipeline-metrics';
import { GetRedrive } from './get-redrive';
import { GetReplay } from './get-replay';
import { ListAccesses } from './list-accesses';
import { ListAlertNotifications } from './list-alert-notifications';
import { ListDeliveries } from './list-deliveries';
import { ListRedrives } from './list-redrives';
import { ListRefusedEvents } from './list-refused-events';
import { ListReplayDifferences } from './list-replay-differences';
import { ListReplayFailures } from './list-replay-failures';
import { ListReplays } from './list-replays';
import { MetricReads } from './metric-reads';
import { Orderings } from './redrive-request-of';
import { ReplayDifferences } from './replay-differences';
import { ReplayFailures } from './replay-failures';
import { StoreTurns } from './store-turns';
import { TraceEvent } from './trace-event';
import type { TraceSources } from './trace-sources';
import { WatchEvents } from './watch-events';
import { WholeDeliveries } from './whole-deliveries';

/** A handler for each operation that is declared as answered by routers. */
export const HANDLERS: Type<object>[] = [
  ListDeliveries,
  CountDeliveries,
  GetDelivery,
  ListAccesses,
  GetConservation,
  TraceEvent,
  WatchEvents,
  CreateRedrive,
  ListRedrives,
  GetRedrive,
  CancelRedrive,
  CreateReplay,
  CountReplayEvents,
  ListReplays,
  GetReplay,
  ListReplayDifferences,
  ListReplayFailures,
  CancelReplay,
  GetPipelineMetrics,
  GetConnectionMetrics,
  ListRefusedEvents,
  CountRefusedEvents,
  ListAlertNotifications,
];

/** What the handlers need. */
export interface DeliveryDependencies {
  readonly pool: Pool;
  readonly traces: TraceSources;
  /** How the destinations of pipelines order deliveries. */
  readonly orderings: Orderings;
  readonly replays: ReplayCreation;
  readonly telling: ReplayTelling;
}

@Module({})
export class DeliveriesModule {
  static on({ pool, traces, orderings, replays, telling }: DeliveryDependencies): DynamicModule {
    const database = new Database(pool);
    return {
      module: DeliveriesModule,
      controllers: HANDLERS,
      providers: [
        { provide: DeliveryReads, useValue: new DeliveryReads(pool) },
        { provide: MetricReads, useValue: new MetricReads(pool) },
        { provide: WholeDeliveries, useValue: new WholeDeliveries(pool) },
        { provide: EventTraces, useValue: new EventTraces(pool, traces) },
        { provide: Accesses, useValue: new Accesses(pool) },
        { provide: JobStore, useValue: new PostgresJobs(database) },
        { provide: AlertStore, useValue: new PostgresAlerts(database) },
        { provide: RedriveStore, useValue: new PostgresRedrives(database) },
        { provide: Orderings, useValue: orderings },
        { provide: Replays, useValue: new Replays(pool) },
        { provide: ReplayDeliveryStore, useValue: new PostgresReplayDeliveries(database) },
        { provide: ReplayDifferences, useValue: new ReplayDifferences(pool) },
        { provide: ReplayFailures, useValue: new ReplayFailures(pool) },
        { provide: ReplayCreation, useValue: replays },
        { provide: ReplayTelling, useValue: telling },
        { provide: RefusedEventsTable, useValue: new RefusedEventsTable(pool) },
        { provide: StoreTurns, useValue: new StoreTurns() },
      ],
    };
  }
}
