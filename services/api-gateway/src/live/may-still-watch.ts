import type { ConfigurationReplica } from '@penstock/contracts';
import type { Caller } from '../auth/caller';
import { hasExpired } from '../auth/has-expired';

/** Whether the key still exists and has not expired, its organization is enabled, and the workspace exists. */
export const mayStillWatch = (
  replica: Pick<ConfigurationReplica, 'organization' | 'workspace'>,
  { key, organization, workspace }: Caller,
): boolean => {
  const now = replica.organization(organization.id);
  const held = now?.apiKeys.find(({ id }) => id === key);
  if (now?.enabled !== true || held === undefined || hasExpired(held)) return false;
  return replica.workspace(workspace) !== undefined;
};
