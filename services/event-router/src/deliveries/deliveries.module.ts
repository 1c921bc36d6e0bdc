import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Pool } from 'pg';
import { CountDeliveries } from './count-deliveries';
import { DeliveryReads } from './delivery-reads';
import { GetConservation } from './get-conservation';
import { ListDeliveries } from './list-deliveries';
import { StoreTurns } from './store-turns';

/** A handler for each operation that is declared as answered by routers. */
export const HANDLERS: Type<object>[] = [ListDeliveries, CountDeliveries, GetConservation];

@Module({})
export class DeliveriesModule {
  static on(pool: Pool): DynamicModule {
    return {
      module: DeliveriesModule,
      controllers: HANDLERS,
      providers: [
        { provide: DeliveryReads, useValue: new DeliveryReads(pool) },
        { provide: StoreTurns, useValue: new StoreTurns() },
      ],
    };
  }
}
