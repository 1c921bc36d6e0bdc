import type { SuppressionId, WorkspaceId } from './ids';

/** A suppression as it begins. */
export interface NewSuppression {
  readonly id: SuppressionId;
  readonly workspace: WorkspaceId;
}

/** A user of a workspace whose events are left out. Nobody without the secret can find out who it is. */
export type SuppressionFact =
  | { readonly type: 'UserSuppressed'; readonly data: NewSuppression }
  | { readonly type: 'UserUnsuppressed'; readonly data: Record<never, never> };
