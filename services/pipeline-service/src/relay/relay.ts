import {
  type ConfigurationState,
  type DataKey,
  readFact,
  type RecordedFact,
  type RunCommand,
  type RunId,
  stateKey,
  type StateRecord,
  supersededKey,
  TOPIC,
  type WorkspaceId,
  writeRunCommand,
} from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import type { MessageLog, NewMessage } from '@penstock/messaging';
import { dataKeyMessage, erasureMessage } from '../data-keys/data-key-messages';

/**
 * What is published at once: so much goes to the broker in one request, which is there as a whole or not at all.
 */
export const BATCH = { maxFacts: 500, maxBytes: 700_000 };

/** Of wrapped keys and deletions, which are small. */
const STATES_AN_APPEND = 1_000;

/** Records in which the last fact is looked for at a time. */
const LOOKED_AT = 10;
const MAX_READ_BYTES = 1_048_576;

/** Less than it takes to lose the lock unnoticed, with both appends. */
const APPEND_TIMEOUT_MS = 10_000;

type DataKeys = ReadonlyMap<string, DataKey>;

/**
 * A workspace comes with its data key, which stands before everything that it opens, and goes with it. A version of a
 * pipeline takes the place of an old one.
 */
const stateMessages =
  (dataKeys: DataKeys) =>
  ({ position, state }: StoredFact): NewMessage[] => {
    const known = state as ConfigurationState;
    const record: StateRecord = { position, state: known };
    const message = { key: stateKey(known), value: JSON.stringify(record) };
    const superseded = supersededKey(known);
    if (superseded !== undefined) return [message, { key: superseded, value: null }];
    if (known.kind !== 'workspace') return [message];
    if (known.deleted) return [message, erasureMessage(known.id)];
    const dataKey = dataKeys.get(known.id);
    return dataKey === undefined ? [message] : [dataKeyMessage(dataKey), message];
  };

const factMessage = ({ state: _, owner, ...fact }: StoredFact) => {
  const recorded: RecordedFact<{ type: string; data: object }> = fact;
  return { key: owner, value: JSON.stringify(recorded) };
};

/** Position of the last fact from one offset to another; undefined when there is none. */
const lastPosition = async (
  log: MessageLog,
  from: number,
  to: number,
): Promise<number | undefined> => {
  let last: number | undefined;
  for (let at = from; at < to;) {
    const { records, next } = await log.read(TOPIC.configuration, 0, at, MAX_READ_BYTES);
    for (const { offset, value } of records)
      if (offset < to) last = readFact(value)?.position ?? last;
    // Taken for none, everything would be published again.
    if (next <= at) throw new Error('the end of the configuration topic cannot be read');
    at = next;
  }
  return last;
};

/** Position of the last fact on the `configuration` topic; 0 when there is none. Passes by what is no fact. */
export const publishedPosition = async (log: MessageLog): Promise<number> => {
  const [end = 0] = await log.endOffsets(TOPIC.configuration);
  for (let to = end; to > 0;) {
    const from = Math.max(0, to - LOOKED_AT);
    const position = await lastPosition(log, from, to);
    if (position !== undefined) return position;
    to = from;
  }
  return 0;
};

const COMMANDS: Readonly<Record<string, RunCommand['type']>> = {
  RunRequested: 'StartRun',
  RunCancelRequested: 'CancelRun',
};

const commandMessages = ({ position, type, data, state }: StoredFact): NewMessage[] => {
  const { kind, id, workspace } = state as ConfigurationState & { readonly workspace: WorkspaceId };
  const command = COMMANDS[type];
  if (command === undefined || kind !== 'runs') return [];
  const { run } = data as { readonly run: RunId };
  const value = writeRunCommand({ type: command, workspace, pipeline: id, run, position });
  return [{ key: id, value }];
};

/**
 * Publishes facts in commit order. The state goes first, then commands to run executors, so that a fact on the
 * `configuration` topic means that all are there: what failed between the two is published again.
 *
 * @param dataKeys of the workspaces that the facts are about, as they are now.
 * @throws LogUnavailable some may be in the log: publish the same again.
 */
export const publish = async (
  log: MessageLog,
  facts: readonly StoredFact[],
  dataKeys: DataKeys,
): Promise<void> => {
  const options = { timeoutMs: APPEND_TIMEOUT_MS };
  await log.append(TOPIC.configurationState, facts.flatMap(stateMessages(dataKeys)), options);
  const commands = facts.flatMap(commandMessages);
  if (commands.length > 0) await log.append(TOPIC.runCommands, commands, options);
  await log.append(TOPIC.configuration, facts.map(factMessage), options);
};

/**
 * Publishes records of the compacted topic beside those of facts.
 *
 * @param check is called before each append and throws when this process may not publish any more.
 * @throws LogUnavailable some may be in the log: publish the same again.
 */
export const publishStates = async (
  log: MessageLog,
  messages: readonly NewMessage[],
  check: () => Promise<void>,
): Promise<void> => {
  const options = { timeoutMs: APPEND_TIMEOUT_MS };
  for (let from = 0; from < messages.length; from += STATES_AN_APPEND) {
    await check();
    const part = messages.slice(from, from + STATES_AN_APPEND);
    await log.append(TOPIC.configurationState, part, options);
  }
};
