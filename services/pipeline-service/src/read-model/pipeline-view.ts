import {
  type ConnectionState,
  EVENT_SCHEMA,
  type PipelineState,
  type PipelineView,
} from '@penstock/contracts';
import { printType } from '@penstock/schema';

const EVENT_SCHEMA_TEXT = printType(EVENT_SCHEMA);

/** What is answered of a pipeline on the connection. */
export const pipelineView = (state: PipelineState, connection: ConnectionState): PipelineView => ({
  id: state.id,
  version: state.version,
  name: state.name,
  connector: connection.connector,
  connectorType: connection.connectorType,
  connection: state.connection,
  connectionRole: connection.role,
  target: state.target,
  enabled: state.enabled,
  eventType: state.eventType,
  filter: state.filter,
  transformation: state.transformation,
  inSchema: EVENT_SCHEMA_TEXT,
  outSchema: state.outSchema,
});
