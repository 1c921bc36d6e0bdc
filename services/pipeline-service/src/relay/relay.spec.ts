import {
  type DataKey,
  readRunCommand,
  TOPIC,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import type { LogRecord, MessageLog, NewMessage } from '@penstock/messaging';
import { publish, publishedPosition, publishStates } from './relay';

const factOf = (state: object, position = 7): StoredFact =>
  ({
    ...{ position, owner: 'workspace1', type: 'Renamed', data: { name: 'New' }, state },
  }) as unknown as StoredFact;

const PIPELINE = { kind: 'pipeline', id: 'p1', workspace: 'workspace1', version: 1 };
const WORKSPACE: Partial<WorkspaceState> = {
  kind: 'workspace',
  id: 'workspace1' as WorkspaceId,
  version: 1,
  deleted: false,
};
const KEY = { id: 'key1', workspace: WORKSPACE.id, wrapped: 'wrapped' } as unknown as DataKey;

/** A log that refuses appends to one topic, or to none. */
const logThatRefuses = (refused?: string) => {
  const appended: (readonly [topic: string, messages: readonly NewMessage[]])[] = [];
  const log: Pick<MessageLog, 'append'> = {
    append: (topic, messages) => {
      if (topic === refused) return Promise.reject(new Error('the log is away'));
      appended.push([topic, messages]);
      return Promise.resolve([]);
    },
  };
  return { log: log as MessageLog, appended };
};

describe('facts', () => {
  /** @returns the topics that were appended to, in order */
  const publishing = async (refused?: string): Promise<readonly string[]> => {
    const { log, appended } = logThatRefuses(refused);
    const ended = await publish(log, [factOf(PIPELINE)], new Map()).then(
      () => 'done',
      () => 'failed',
    );
    return [...appended.map(([topic]) => topic), ended];
  };

  it('are on the log after the states that they lead to', async () => {
    expect(await publishing()).toEqual([TOPIC.configurationState, TOPIC.configuration, 'done']);
  });

  it('are not on the log where their states are not', async () => {
    expect(await publishing(TOPIC.configurationState)).toEqual(['failed']);
    expect(await publishing(TOPIC.configuration)).toEqual([TOPIC.configurationState, 'failed']);
  });
});

describe('runs', () => {
  const RUNS = { kind: 'runs', id: 'pipeline00000001', workspace: 'workspace0000001', version: 2 };
  const RUN = 'run0000000000001';

  it.each([
    ['RunRequested', 'StartRun'],
    ['RunCancelRequested', 'CancelRun'],
  ])('are commanded once their state is on the log: %s gives %s', async (type, command) => {
    const { log, appended } = logThatRefuses();
    await publish(log, [{ ...factOf(RUNS), type, data: { run: RUN } }, factOf(RUNS, 8)], new Map());
    const topics = [TOPIC.configurationState, TOPIC.runCommands, TOPIC.configuration];
    expect(appended.map(([topic]) => topic)).toEqual(topics);
    const messages = appended[1]![1];
    expect(messages.map(({ key, value }) => [key, readRunCommand(value)])).toEqual([
      [
        RUNS.id,
        { type: command, workspace: RUNS.workspace, pipeline: RUNS.id, run: RUN, position: 7 },
      ],
    ]);
  });
});

describe('states', () => {
  /** Keys of the records of a state, in order, with what becomes of each. */
  const recordsOf = async (state: object): Promise<readonly string[]> => {
    const { log, appended } = logThatRefuses();
    await publish(log, [factOf(state)], new Map([['workspace1', KEY]]));
    const messages = appended.find(([topic]) => topic === TOPIC.configurationState)?.[1] ?? [];
    return messages.map(({ key, value }) => (value === null ? `without ${key}` : key));
  };

  it('of a workspace come after the key that opens what is in it', async () => {
    const [key, workspace, ...others] = await recordsOf(WORKSPACE);
    expect([workspace, others]).toEqual(['workspace:workspace1', []]);
    expect(key).toContain('workspace1');
    expect(key).not.toBe(workspace);
    expect(await recordsOf({ ...WORKSPACE, deleted: true })).toEqual([
      ...['workspace:workspace1', `without ${String(key)}`],
    ]);
  });

  it('of a pipeline take the place of an old version', async () => {
    expect(await recordsOf(PIPELINE)).toHaveLength(1);
    const records = await recordsOf({ ...PIPELINE, version: 1_000 });
    expect(records).toHaveLength(2);
    expect(records[1]).toMatch(/^without pipeline:p1@\d+$/);
  });

  it('beside facts are published in parts, each while this process may', async () => {
    const { log, appended } = logThatRefuses();
    const messages = Array.from({ length: 2_500 }, (_, at) => ({ key: String(at), value: '' }));
    let checks = 0;
    const check = (): Promise<void> => {
      checks += 1;
      return checks < 3 ? Promise.resolve() : Promise.reject(new Error('the lock is lost'));
    };
    await expect(publishStates(log, messages, check)).rejects.toThrow('the lock is lost');
    expect(appended.map(([topic, part]) => [topic, part.length])).toEqual([
      [TOPIC.configurationState, 1_000],
      [TOPIC.configurationState, 1_000],
    ]);
    expect(appended.flatMap(([, part]) => part)).toEqual(messages.slice(0, 2_000));
  });
});

describe('the published position', () => {
  /** The position that is found on a topic with these values, of which a read gives three at most. */
  const found = (values: readonly (string | null)[]): Promise<number> => {
    const log: Pick<MessageLog, 'endOffsets' | 'read'> = {
      endOffsets: () => Promise.resolve([values.length]),
      read: (_, __, from) =>
        Promise.resolve({
          records: values
            .slice(from, from + 3)
            .map((value, at) => ({ offset: from + at, value }) as LogRecord),
          next: Math.min(from + 3, values.length),
        } as never),
    };
    return publishedPosition(log as MessageLog);
  };
  const fact = (position: number): string => {
    const { state: _, ...recorded } = factOf(PIPELINE, position);
    return JSON.stringify(recorded);
  };

  it('is that of the last fact, however many records that are none follow it', async () => {
    expect(await found([])).toBe(0);
    expect(await found([fact(1), fact(2)])).toBe(2);
    expect(await found([fact(1), fact(2), ...Array<string>(25).fill('none')])).toBe(2);
    expect(await found(Array<string>(25).fill('none'))).toBe(0);
  });
});
