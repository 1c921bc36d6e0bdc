import type {
  ConnectionId,
  ConnectionState,
  ConnectionView,
  PipelineId,
} from '@penstock/contracts';

/**
 * What is answered of a connection.
 *
 * @param sources connections that are linked to it.
 */
export const connectionView = (
  state: ConnectionState,
  sources: readonly ConnectionId[],
  pipelines: readonly PipelineId[],
): ConnectionView => ({
  id: state.id,
  version: state.version,
  name: state.name,
  connector: state.connector,
  connectorType: state.connectorType,
  role: state.role,
  sendingMode: state.sendingMode,
  linkedConnections: state.role === 'Source' ? state.links : sources,
  pipelines,
  settings: state.settings,
  ...(state.delivery !== undefined && { delivery: state.delivery }),
});
