import { type ProfileFact, type PublishedProfileFact, TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';

/** The facts of profiles that are on the log now, each once, in their order. */
const factsOn = async (log: MessageLog): Promise<readonly ProfileFact[]> => {
  const facts = new Map<string, PublishedProfileFact>();
  const reader = await log.follow({
    topic: TOPIC.profiles,
    onBatch: (_, records) => {
      for (const { value } of records) {
        const published = JSON.parse(value ?? '') as PublishedProfileFact;
        const known = facts.get(published.id);
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(published))
          throw new Error(`the fact ${published.id} is there twice, with different content`);
        facts.set(published.id, published);
      }
      return Promise.resolve();
    },
  });
  await reader.caughtUp();
  await reader.stop();
  return [...facts.values()]
    .sort((one, other) => Number(BigInt(one.number) - BigInt(other.number)))
    .map(({ fact }) => fact);
};

/** Follows profiles from fact to fact. @throws Error where one does not fit what was before. */
const follow = (live: Set<string>, fact: ProfileFact): void => {
  const end = (id: string): void => {
    if (!live.delete(id)) throw new Error(`${fact.type}: there is no profile ${id}`);
  };
  switch (fact.type) {
    case 'ProfileCreated':
      if (live.has(fact.id)) throw new Error(`the profile ${fact.id} is made twice`);
      live.add(fact.id);
      break;
    case 'ProfileDeleted':
      end(fact.id);
      break;
    case 'ProfilesMerged':
      fact.absorbed.forEach(end);
      break;
    case 'ProfileSplit':
      // Some of them may be profiles that other identities were in before.
      for (const id of fact.created) live.add(id);
      break;
  }
};

/** The profiles that are there by the facts on the log, sorted. */
export const liveProfiles = async (log: MessageLog): Promise<readonly string[]> => {
  const live = new Set<string>();
  for (const fact of await factsOn(log)) follow(live, fact);
  return [...live].sort();
};
