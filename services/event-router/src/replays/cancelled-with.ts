import type { ConfigurationReplica, WorkspaceId } from '@penstock/contracts';

/** Why a replay is cancelled without a client: the texts that runs have for it. */
export const PIPELINE_DELETED = 'pipeline was deleted';
export const ORGANIZATION_DISABLED = 'organization is disabled';

/** Whether the organization of a workspace is disabled, which ends its replays. */
export const isOrganizationDisabled = (
  replica: Pick<ConfigurationReplica, 'organization' | 'workspace'>,
  workspace: WorkspaceId,
): boolean => {
  const organization = replica.workspace(workspace)?.organization;
  return organization !== undefined && replica.organization(organization)?.enabled === false;
};
