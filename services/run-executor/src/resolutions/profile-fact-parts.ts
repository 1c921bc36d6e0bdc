import { type ProfileFact } from '@penstock/contracts';

/**
 * Ids of profiles that one record names: with them it is far below the {@link MAX_VALUE_BYTES} of the log, however many
 * profiles were merged or made at once.
 */
export const MAX_PART_IDS = 5_000;

const chunks = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / MAX_PART_IDS)) }, (_, at) =>
    items.slice(at * MAX_PART_IDS, (at + 1) * MAX_PART_IDS),
  );

/** A fact that names very many profiles, as several that say the same together; every other one as it is. */
export const profileFactParts = (fact: ProfileFact): readonly ProfileFact[] => {
  switch (fact.type) {
    case 'ProfilesMerged':
      return chunks(fact.absorbed).map((absorbed, at) => ({
        ...fact,
        absorbed,
        joinedBy: at === 0 ? fact.joinedBy : [],
      }));
    case 'ProfileSplit':
      return chunks(fact.created).map((created) => ({ ...fact, created }));
    case 'ProfileCreated':
    case 'ProfileDeleted':
      return [fact];
  }
};
