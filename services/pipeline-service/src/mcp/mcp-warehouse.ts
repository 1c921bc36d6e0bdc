import { existingMcpSettings, Refusal, type WarehouseState } from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import type { Warehouse } from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import { WarehouseChecks } from '../warehouse/warehouse-checks';

/** Opens a warehouse with what the MCP server may see of it. */
export interface McpOpening {
  readonly warehouse: WarehouseState;
  readonly seals: Seals;
  readonly signal: AbortSignal;
}

/** Does work with a connection, which is closed whatever becomes of it. */
const closing = async <T>(
  connection: Promise<Warehouse>,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> => {
  const warehouse = await connection;
  try {
    return await work(warehouse);
  } finally {
    await warehouse.close();
  }
};

/** The rights of a user may have changed since its settings were checked. @throws Refusal NotReadOnlyMCPSettings */
const checkRights = async (reader: Warehouse): Promise<void> => {
  const rights = await reader.writingRights();
  const details = rights.map((message) => ({ path: '', message }));
  if (details.length > 0) throw new Refusal('NotReadOnlyMCPSettings', { details });
};

/** Reads from warehouses as the users of their MCP servers, each time on a new connection: what was read decides what becomes of it. */
@Injectable()
export class McpWarehouse {
  constructor(private readonly checks: WarehouseChecks) {}

  /**
   * Does work as the user of the MCP server. A connection of the warehouse's own user stays open meanwhile: it is what those
   * who keep readers out wait for, and end.
   *
   * @throws Refusal InvalidWarehouseSettings when there are no settings for it, NotReadOnlyMCPSettings; WarehouseFault
   */
  async read<T>(
    { warehouse, seals, signal }: McpOpening,
    work: (reader: Warehouse) => Promise<T>,
  ): Promise<T> {
    const { id: workspace, version: epoch } = warehouse;
    const mcpSettings = existingMcpSettings(warehouse);
    const { platform, settings } = this.checks.open(seals, warehouse);
    const { settings: ofReader } = this.checks.open(seals, { ...warehouse, settings: mcpSettings });
    return closing(platform.connect(settings, signal), (own) =>
      own.whileReadable({ workspace, epoch }, (ended) =>
        closing(platform.connect(ofReader, AbortSignal.any([signal, ended])), async (reader) => {
          await checkRights(reader);
          return work(reader);
        }),
      ),
    );
  }
}
