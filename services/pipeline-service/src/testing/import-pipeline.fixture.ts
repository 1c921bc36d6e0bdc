import type { ConnectionId, NewImportPipeline, PipelineId, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';

/** A schema with one property, as canonical text. */
const EMAIL = JSON.stringify({
  kind: 'object',
  properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
});

/** A pipeline that imports the users of an application, as it is recorded. */
export const anImport = (
  workspace: WorkspaceId,
  connection: ConnectionId,
  members: Partial<NewImportPipeline> = {},
): NewImportPipeline => ({
  id: newId() as PipelineId,
  workspace,
  connection,
  target: 'User',
  eventType: null,
  name: 'Users',
  enabled: true,
  filter: null,
  transformation: { mapping: { email: 'email' }, function: null },
  outSchema: EMAIL,
  imports: { source: { kind: 'application' }, inSchema: EMAIL, incremental: false },
  ...members,
});
