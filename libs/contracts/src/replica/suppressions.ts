import type { ConfigurationReplica } from './configuration-replica';
import type { SuppressionId, WorkspaceId } from '../ids';

type KeyedHash = (text: string) => string;

/** What a user of a workspace is called by where nobody may learn who it is: a keyed hash. */
export const suppressionId = (
  keyedHash: KeyedHash,
  workspace: WorkspaceId,
  userId: string,
): SuppressionId => keyedHash(`suppressed\0${workspace}\0${userId}`) as SuppressionId;

/** Tells ids of anonymous visitors from those of users. */
const ANONYMOUS = '~';

/** What an anonymous visitor of a source is called by, as {@link suppressionId} does for users. */
export const anonymousSuppressionId = (
  keyedHash: KeyedHash,
  workspace: WorkspaceId,
  source: string,
  anonymousId: string,
): SuppressionId =>
  `${ANONYMOUS}${keyedHash(`suppressed\0${workspace}\0${source}\0${anonymousId}`)}` as SuppressionId;

/** Whether it is the id of a user, not of an anonymous visitor. */
export const isOfUser = (id: SuppressionId): boolean => !id.startsWith(ANONYMOUS);

/** Finds the users whose events are left out, as far as the replica has applied. */
export class Suppressions {
  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly keyedHash: KeyedHash,
  ) {}

  /** Whether anybody of the workspace is suppressed: without a hash, and without a look at any event. */
  hasAny(workspace: WorkspaceId): boolean {
    return this.replica.suppressedIn(workspace).size > 0;
  }

  /** Whether one of the users is suppressed; where nobody is, nothing is hashed. */
  includes(workspace: WorkspaceId, ...userIds: readonly (string | undefined)[]): boolean {
    const suppressed = this.replica.suppressedIn(workspace);
    return (
      suppressed.size > 0 &&
      userIds.some(
        (userId) =>
          userId !== undefined && suppressed.has(suppressionId(this.keyedHash, workspace, userId)),
      )
    );
  }

  /** Whether an anonymous visitor of a source is suppressed. */
  includesVisitor(workspace: WorkspaceId, source: string, anonymousId: string): boolean {
    const suppressed = this.replica.suppressedIn(workspace);
    return (
      suppressed.size > 0 &&
      suppressed.has(anonymousSuppressionId(this.keyedHash, workspace, source, anonymousId))
    );
  }
}
