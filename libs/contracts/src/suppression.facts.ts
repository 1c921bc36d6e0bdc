import type { SuppressionId, WorkspaceId } from './ids';

/** A suppression as it begins. */
export interface NewSuppression {
  readonly id: SuppressionId;
  readonly workspace: WorkspaceId;
}

/** A user of a workspace whose events are left out. Says nothing of who it is to anybody without the secret. */
export type SuppressionFact =
  | { readonly type: 'UserSuppressed'; readonly data: NewSuppression }
  | { readonly type: 'UserUnsuppressed'; readonly data: Record<never, never> };
