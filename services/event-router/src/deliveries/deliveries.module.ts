import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Pool } from 'pg';
import { Accesses } from './accesses';
import { CountDeliveries } from './count-deliveries';
import { DeliveryReads } from './delivery-reads';
import { GetConservation } from './get-conservation';
import { GetDelivery } from './get-delivery';
import { ListAccesses } from './list-accesses';
import { ListDeliveries } from './list-deliveries';
import { StoreTurns } from './store-turns';
import { WholeDeliveries } from './whole-deliveries';

/** A handler for each operation that is declared as answered by routers. */
export const HANDLERS: Type<object>[] = [
  ListDeliveries,
  CountDeliveries,
  GetDelivery,
  ListAccesses,
  GetConservation,
];

@Module({})
export class DeliveriesModule {
  static on(pool: Pool): DynamicModule {
    return {
      module: DeliveriesModule,
      controllers: HANDLERS,
      providers: [
        { provide: DeliveryReads, useValue: new DeliveryReads(pool) },
        { provide: WholeDeliveries, useValue: new WholeDeliveries(pool) },
        { provide: Accesses, useValue: new Accesses(pool) },
        { provide: StoreTurns, useValue: new StoreTurns() },
      ],
    };
  }
}
