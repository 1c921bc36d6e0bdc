import type { Sealed } from './connection.facts';
import { Refusal, REFUSALS } from './refusals';
import type { WarehouseState } from './state';
import type { WarehouseAccess } from './warehouse.facts';

/**
 * The warehouse of a workspace.
 *
 * @throws Refusal for a workspace without one: the operator has not named one at the first start.
 */
export const existingWarehouse = (state: WarehouseState | null | undefined): WarehouseState => {
  if (state != null) return state;
  const message = 'the workspace has no data warehouse yet: PENSTOCK_WAREHOUSE_URL names it';
  throw new Refusal('InvalidWarehouseSettings', { details: [{ path: '', message }] });
};

/**
 * The settings with which the MCP server reads a warehouse.
 *
 * @throws Refusal for a warehouse without them: its workspace cannot use the tools of the MCP server.
 */
export const existingMcpSettings = ({
  mcpSettings,
}: Pick<WarehouseAccess, 'mcpSettings'>): Sealed => {
  if (mcpSettings !== null) return mcpSettings;
  throw new Refusal('InvalidWarehouseSettings', {
    message: `${REFUSALS.InvalidWarehouseSettings.message}: those of the MCP server are not configured`,
  });
};
