import type { RecordedFact, StateRecord } from '@penstock/contracts';
import { type ConfigurationState, stateKey, TOPIC } from '@penstock/contracts';
import type { EventStore, StoredFact } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import type { EntityManager } from 'typeorm';

const BATCH = 500;

/** The workspace that a fact is about; facts of an organization go under its own id. */
const topicKey = (state: ConfigurationState): string =>
  state.kind === 'connection' || state.kind === 'pipeline' ? state.workspace : state.id;

const stateMessage = ({ position, state }: StoredFact) => {
  const known = state as ConfigurationState;
  const record: StateRecord = { position, state: known };
  return { key: stateKey(known), value: JSON.stringify(record) };
};

const factMessage = ({ state, ...fact }: StoredFact) => {
  const recorded: RecordedFact<{ type: string; data: object }> = fact;
  return { key: topicKey(state as ConfigurationState), value: JSON.stringify(recorded) };
};

/** Position of the last fact on the `configuration` topic; 0 when there is none. */
export const publishedPosition = async (log: MessageLog): Promise<number> => {
  const [end = 0] = await log.endOffsets(TOPIC.configuration);
  if (end === 0) return 0;
  let position = 0;
  const reader = await log.follow({
    topic: TOPIC.configuration,
    from: new Map([[0, end - 1]]),
    onBatch: (_, records) => {
      for (const { value } of records)
        position = (JSON.parse(value ?? '{}') as RecordedFact).position;
      return Promise.resolve();
    },
  });
  await reader.caughtUp();
  await reader.stop();
  return position;
};

/**
 * Publishes everything behind the position, in commit order. The state goes first, so that a fact on the
 * `configuration` topic says that both are there: after a crash both are published again.
 *
 * @returns the position of the last fact published.
 */
export const publishAfter = async (
  store: EventStore<EntityManager>,
  log: MessageLog,
  position: number,
): Promise<number> => {
  let last = position;
  for (;;) {
    const facts = await store.factsAfter(last, BATCH);
    const newest = facts.at(-1);
    if (newest === undefined) return last;
    await log.append(TOPIC.configurationState, facts.map(stateMessage));
    await log.append(TOPIC.configuration, facts.map(factMessage));
    last = newest.position;
  }
};
