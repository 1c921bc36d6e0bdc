import type { Suppressions, WorkspaceId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';

/** Whether the event is of a user who is suppressed, by its user id or the one that an alias names. */
export const isOfSuppressed = (
  suppressions: Suppressions,
  workspace: WorkspaceId,
  event: RecordValue,
): boolean =>
  suppressions.includes(
    workspace,
    event['userId'] as string | undefined,
    event['previousId'] as string | undefined,
  );
