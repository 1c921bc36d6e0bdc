import { Refusal, REFUSALS, type RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { type Warehouse, WarehouseFault } from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { operationRefusal } from '../warehouse/fault-refusal';
import { readableWarehouse } from '../warehouse/readable-warehouse';
import { againWhenFenced } from '../warehouse-reads/again-when-fenced';
import { ReadPlaces } from '../warehouse-reads/read-places';
import { McpWarehouse } from './mcp-warehouse';

/** Reads for MCP servers at a time, each with two connections: beside those of the API, which they take no places from. */
const PLACES = 8;

const refusalOf = (fault: WarehouseFault): Refusal =>
  fault.kind === 'invalid'
    ? new Refusal('InvalidQuery', { message: `${REFUSALS.InvalidQuery.message}: ${fault.message}` })
    : operationRefusal(fault);

/** Reads from the warehouses of workspaces for MCP servers: few at a time, shared fairly. */
@Injectable()
export class McpReads {
  private readonly places = new ReadPlaces(PLACES);

  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly warehouse: McpWarehouse,
  ) {}

  /**
   * Reads from the warehouse of the request's workspace.
   *
   * @param signal fires when nobody waits for the answer any more.
   * @throws Refusal MaintenanceMode, InvalidWarehouseSettings, NotReadOnlyMCPSettings; ServiceUnavailable when no place was
   *   free within two seconds; and for faults of the warehouse, InvalidQuery for a statement that is refused.
   */
  async in<T>(
    { workspace, organization }: RequestContext,
    signal: AbortSignal,
    work: (reader: Warehouse) => Promise<T>,
  ): Promise<T> {
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const read = async (): Promise<T> => {
      const warehouse = await readableWarehouse(this.store, workspace);
      return this.warehouse.read({ warehouse, seals, signal }, work);
    };
    try {
      return await this.places.take({ workspace, organization, signal }, () =>
        againWhenFenced(read),
      );
    } catch (error) {
      throw error instanceof WarehouseFault ? refusalOf(error) : error;
    }
  }
}
