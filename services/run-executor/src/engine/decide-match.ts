import type { ExportMode } from '@penstock/contracts';

/** Users of one profile that are changed at most. */
export const MAX_DUPLICATES = 100;

/** What becomes of a profile by its users. */
export type MatchDecision = 'create' | 'update' | 'left out' | 'ambiguous' | 'created before';

/** How profiles and users are matched. */
export interface MatchRules {
  readonly mode: ExportMode;
  readonly updateOnDuplicates: boolean;
}

/**
 * Decides what becomes of a profile.
 *
 * @param users that have its value.
 * @param mayBeCreated whether this run may have created one of them, in a batch that was never settled.
 */
export const decideMatch = (
  users: number,
  mayBeCreated: boolean,
  { mode, updateOnDuplicates }: MatchRules,
): MatchDecision => {
  if (users === 0) return mode === 'UpdateOnly' ? 'left out' : 'create';
  if (mayBeCreated) return 'created before';
  if (users > (updateOnDuplicates ? MAX_DUPLICATES : 1)) return 'ambiguous';
  return mode === 'CreateOnly' ? 'left out' : 'update';
};
