import type { WarehouseState } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import type { Seals } from '@penstock/runtime';
import { WarehouseFault, type WarehouseReader } from '@penstock/warehouses';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { operationRefusal } from '../warehouse/fault-refusal';
import { readableWarehouse } from '../warehouse/readable-warehouse';
import { WarehouseChecks } from '../warehouse/warehouse-checks';
import { againWhenFenced } from './again-when-fenced';
import { OpenedReaders, type OpenReader } from './opened-readers';
import { type PlaceWanted, PLACES_OF_WORKSPACE, ReadPlaces } from './read-places';

/** Reads of all warehouses at a time, and warehouses with connections: fewer than the slow requests of a process. */
const PLACES = 24;

/** The request for a read. */
export interface WarehouseRead extends PlaceWanted {
  readonly seals: Seals;
}

/** Reads from the warehouses of workspaces, over few connections to each, which are kept for a while. */
@Injectable()
export class WarehouseReads implements OnModuleDestroy {
  private readonly places = new ReadPlaces(PLACES);
  private readonly readers = new OpenedReaders(PLACES);

  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
  ) {}

  /**
   * Reads from the warehouse of a workspace.
   *
   * @throws Refusal InvalidWarehouseSettings when there is no warehouse, MaintenanceMode, ServiceUnavailable when no place
   *   was free within two seconds; and for faults of the warehouse.
   */
  async in<T>(
    { workspace, organization, seals, signal }: WarehouseRead,
    work: (reader: WarehouseReader) => Promise<T>,
  ): Promise<T> {
    const read = async (): Promise<T> => {
      // As it is now, not as it was before the wait for a place.
      const warehouse = await readableWarehouse(this.store, workspace);
      const opening = this.opening(warehouse, seals);
      return this.readers.use(warehouse, opening, work);
    };
    try {
      return await this.places.take({ workspace, organization, signal }, () =>
        againWhenFenced(read),
      );
    } catch (error) {
      throw error instanceof WarehouseFault ? operationRefusal(error) : error;
    }
  }

  onModuleDestroy(): void {
    this.readers.close();
  }

  private opening(warehouse: WarehouseState, seals: Seals): OpenReader {
    // A throw must be a rejection, too.
    return async (signal) => {
      const { platform, settings } = this.checks.open(seals, warehouse);
      const { id: workspace, version: epoch } = warehouse;
      const options = { workspace, epoch, connections: PLACES_OF_WORKSPACE };
      return platform.openReader(settings, options, signal);
    };
  }
}
