import type { Sealed } from './connection.facts';
import { Refusal, REFUSALS } from './refusals';
import type { WarehouseAccess } from './warehouse.facts';

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
