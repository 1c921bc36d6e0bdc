import { readRunFact, type RecordedRunFact, TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { FactToPublish, Published, RunStore } from '../store/run-store';

/** Facts of one append. */
const FACTS_AT_ONCE = 500;
const APPEND_TIMEOUT_MS = 3_000;
const MAX_READ_BYTES = 1_048_576;

const idOf = ({ run, number }: RecordedRunFact): string => `${run}-${String(number)}`;

/** Facts that stand on the topic from this offset on: a process was lost that had appended them. */
const appendedFrom = async (log: MessageLog, from: number, end: number): Promise<Set<string>> => {
  const ids = new Set<string>();
  for (let offset = from; offset < end;) {
    const { records, next } = await log.read(TOPIC.runs, 0, offset, MAX_READ_BYTES);
    for (const { value } of records) {
      const fact = readRunFact(value);
      if (fact !== undefined) ids.add(idOf(fact));
    }
    if (next <= offset) break;
    offset = next;
  }
  return ids;
};

const append = async (
  log: MessageLog,
  facts: readonly FactToPublish[],
  known: number | null,
): Promise<Published> => {
  const [end = 0] = await log.endOffsets(TOPIC.runs);
  const from = Math.min(known ?? 0, end);
  const there = from < end ? await appendedFrom(log, from, end) : new Set<string>();
  const rest = facts.filter(({ fact }) => !there.has(idOf(fact)));
  const messages = rest.map(({ fact }) => ({ key: fact.pipeline, value: JSON.stringify(fact) }));
  if (messages.length > 0)
    await log.append(TOPIC.runs, messages, {
      timeoutMs: APPEND_TIMEOUT_MS,
      unlessMoved: { topic: TOPIC.runs, end },
    });
  const [last = end] = await log.endOffsets(TOPIC.runs);
  return { ids: facts.map(({ id }) => id), end: last };
};

/**
 * Appends facts of runs to their topic, once each and in their order: what was appended by a process that was lost
 * before it could record that is found on the topic.
 *
 * @throws LogUnavailable, TopicMoved: the same is to be done again.
 */
export const publishFacts = async (
  store: Pick<RunStore, 'publish'>,
  log: MessageLog,
): Promise<void> => {
  let count: number | undefined;
  // How many are published at once depends on their size: none is left only when none was found.
  do count = await store.publish(FACTS_AT_ONCE, (facts, end) => append(log, facts, end));
  while (count);
};
