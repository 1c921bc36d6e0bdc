import type { Suppressions, WorkspaceId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';

/** Whether the event's user is suppressed, by its `userId` or, of an alias, its `previousId`. */
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
