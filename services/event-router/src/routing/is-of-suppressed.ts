import type { Suppressions, WorkspaceId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Whether the event's user is suppressed, by its `userId` or, of an alias, its `previousId`; or its anonymous visitor, where
 * the event has no user.
 */
export const isOfSuppressed = (
  suppressions: Suppressions,
  workspace: WorkspaceId,
  event: RecordValue,
): boolean => {
  const { userId, previousId, anonymousId, connectionId } = event;
  const [user, previous] = [userId, previousId].map((id) => (isText(id) ? id : undefined));
  if (suppressions.includes(workspace, user, previous)) return true;
  if (user !== undefined || !isText(anonymousId) || !isText(connectionId)) return false;
  return suppressions.includesVisitor(workspace, connectionId, anonymousId);
};
