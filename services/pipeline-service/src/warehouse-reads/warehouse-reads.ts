import {
  type OrganizationId,
  Refusal,
  type WarehouseState,
  type WorkspaceId,
} from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { unavailable } from '@penstock/platform';
import type { Seals } from '@penstock/runtime';
import { FairTurns, TurnRefused, TurnsByName } from '@penstock/turns';
import { WarehouseFault, type WarehouseReader } from '@penstock/warehouses';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { orUnavailable } from '../database/or-unavailable';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { operationRefusal } from '../warehouse/fault-refusal';
import { WarehouseChecks } from '../warehouse/warehouse-checks';
import { OpenedReaders, type OpenReader } from './opened-readers';

/** Reads of one warehouse at a time, each on a connection of its own. */
const PLACES_OF_WORKSPACE = 2;
/** Reads of one warehouse that wait. */
const WAITING_OF_WORKSPACE = 4;
/** Reads of all warehouses at a time, and warehouses with connections: fewer than the slow requests of a process. */
const PLACES = 24;
/** The longest wait for a place. */
const WAIT_MS = 2_000;

const busy = (): Refusal => unavailable('too many reads of data warehouses are under way');

/** The request for a read. */
export interface WarehouseRead {
  readonly workspace: WorkspaceId;
  readonly organization: OrganizationId;
  readonly seals: Seals;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A read that is kept out finds the mode that does it, or that this has changed meanwhile. */
const againWhenFenced = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WarehouseFault && error.kind === 'fenced') return read();
    throw error;
  }
};

/**
 * Reads from the warehouses of workspaces, over few connections to each. A workspace has so many reads under way and
 * waiting, so that a warehouse that is slow takes no places from others; organizations share the places of the process.
 */
@Injectable()
export class WarehouseReads implements OnModuleDestroy {
  private readonly ofWorkspace = new TurnsByName({
    places: PLACES_OF_WORKSPACE,
    maxWaitingOfShare: WAITING_OF_WORKSPACE,
  });
  private readonly all = new FairTurns({ places: PLACES });
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
      const warehouse = await this.readable(workspace);
      const opening = this.opening(warehouse, seals);
      return this.readers.use(warehouse, opening, work);
    };
    try {
      return await this.inTurn({ workspace, organization, signal }, () => againWhenFenced(read));
    } catch (error) {
      throw error instanceof WarehouseFault ? operationRefusal(error) : error;
    }
  }

  onModuleDestroy(): void {
    this.readers.close();
  }

  /** The warehouse as it is now, not as it was before the wait for a place. */
  private async readable(workspace: WorkspaceId): Promise<WarehouseState> {
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    if (warehouse.mode === 'Maintenance') throw new Refusal('MaintenanceMode');
    return warehouse;
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

  private async inTurn<T>(
    { workspace, organization, signal }: Omit<WarehouseRead, 'seals'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const waiting = new AbortController();
    const timer = setTimeout(() => {
      waiting.abort(busy());
    }, WAIT_MS);
    const given = AbortSignal.any([signal, waiting.signal]);
    const ofAll = { share: organization, signal: given };
    const begin = (): Promise<T> => {
      clearTimeout(timer);
      return work();
    };
    try {
      return await this.ofWorkspace.take(workspace, { share: workspace, signal: given }, () =>
        this.all.take(ofAll, begin),
      );
    } catch (error) {
      throw error instanceof TurnRefused ? busy() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
