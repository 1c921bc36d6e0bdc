import {
  instant,
  profileOf,
  type PublishedProfileFact,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import type { MessageLog, NewMessage } from '@penstock/messaging';
import type { RecordedProfileFact, Resolver } from '@penstock/warehouses';
import { profileFactParts } from './profile-fact-parts';

/** Facts of one append. */
export const FACTS_AT_ONCE = 500;
const APPEND_TIMEOUT_MS = 5_000;

/** A recorded fact as it is published: in several parts, where it names very many profiles. */
export const publishedFacts = (
  workspace: WorkspaceId,
  { number, atMs, fact }: RecordedProfileFact,
): readonly PublishedProfileFact[] =>
  profileFactParts(fact).map((part, at) => ({
    id: at === 0 ? `${workspace}:${number}` : `${workspace}:${number}:${String(at)}`,
    ...{ workspace, number, time: instant(new Date(atMs)), fact: part },
  }));

/** Repeating them gives the same records. */
const messagesOf = (workspace: WorkspaceId, recorded: RecordedProfileFact): readonly NewMessage[] =>
  publishedFacts(workspace, recorded).map((published) => ({
    key: profileOf(published.fact),
    value: JSON.stringify(published),
  }));

/**
 * Appends what resolutions have recorded in the warehouse to the topic of profiles, in its order, and forgets it there:
 * at least once, under the same ids.
 *
 * @throws LogUnavailable, WarehouseFault: what is left is to be published again.
 */
export const publishProfileFacts = async (
  log: Pick<MessageLog, 'append'>,
  resolver: Pick<Resolver, 'facts' | 'forgetFacts'>,
  workspace: WorkspaceId,
): Promise<void> => {
  for (;;) {
    const facts = await resolver.facts(FACTS_AT_ONCE);
    const last = facts.at(-1);
    if (last === undefined) return;
    const messages = facts.flatMap((fact) => messagesOf(workspace, fact));
    await log.append(TOPIC.profiles, messages, { timeoutMs: APPEND_TIMEOUT_MS });
    await resolver.forgetFacts(last.number);
    if (facts.length < FACTS_AT_ONCE) return;
  }
};
