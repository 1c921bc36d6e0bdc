import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Pool } from 'pg';
import { Accesses } from './accesses';
import { CountDeliveries } from './count-deliveries';
import { DeliveryReads } from './delivery-reads';
import { GetConservation } from './get-conservation';
import { GetDelivery } from './get-delivery';
import { ListAccesses } from './list-accesses';
import { ListDeliveries } from './list-deliveries';
import { EventTraces } from './event-traces';
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
];

@Module({})
export class DeliveriesModule {
  static on(pool: Pool, traces: TraceSources): DynamicModule {
    return {
      module: DeliveriesModule,
      controllers: HANDLERS,
      providers: [
        { provide: DeliveryReads, useValue: new DeliveryReads(pool) },
        { provide: WholeDeliveries, useValue: new WholeDeliveries(pool) },
        { provide: EventTraces, useValue: new EventTraces(pool, traces) },
        { provide: Accesses, useValue: new Accesses(pool) },
        { provide: StoreTurns, useValue: new StoreTurns() },
      ],
    };
  }
}
