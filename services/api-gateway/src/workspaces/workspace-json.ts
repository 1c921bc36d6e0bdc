import type { WorkspaceView } from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import type { WorkspaceMember } from '../openapi/components/administration';

/** Converts a workspace for an answer. */
export const workspaceJson = ({ id, name }: WorkspaceView): JsonObject =>
  jsonObject<WorkspaceMember>({ id, name });
