import type { Audience, PartitionChanges } from './changes';

/** Days for which an audience is kept after it was written, although no counts refer to it. */
export const AUDIENCE_DAYS = 2;

/** The audiences that the changes contain, by id. */
export const containedAudiences = (
  changes: readonly Pick<PartitionChanges, 'audiences'>[],
): ReadonlyMap<string, Audience> =>
  new Map(changes.flatMap(({ audiences }) => audiences.map((each) => [each.id, each] as const)));

/** Counts of a commit refer to an audience that is neither stored nor contained. */
export const missingAudience = (id: string): Error =>
  new Error(`a commit refers to audience ${id}, which is neither stored nor contained`);
