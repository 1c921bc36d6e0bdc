import { type RunCommand, writeRunCommand } from '@penstock/contracts';
import type { LogRecord, Subscribe, Subscription } from '@penstock/messaging';
import { RunCommands } from './run-commands';

const command = (position: number): string =>
  writeRunCommand({
    ...{ type: 'StartRun', workspace: 'workspace0000001', pipeline: 'pipeline00000001' },
    ...{ run: 'run0000000000001', position },
  } as RunCommand);

const records = (...values: readonly (string | null)[]): readonly LogRecord[] =>
  values.map((value, offset) => ({ key: 'p', value, partition: 0, offset, timestampMs: 0 }));

const setUp = () => {
  const done: string[] = [];
  const subscriptions: Subscribe[] = [];
  const errors: unknown[] = [];
  let taken: (position: number) => Promise<void> = (position) => {
    done.push(`taken ${String(position)}`);
    return Promise.resolve();
  };
  let end: (cause: Error | undefined) => void = () => undefined;
  const subscribe = (options: Subscribe): Promise<Subscription> => {
    subscriptions.push(options);
    const ended = new Promise<Error | undefined>((resolve) => (end = resolve));
    const stop = (): Promise<void> => {
      end(undefined);
      return Promise.resolve();
    };
    return Promise.resolve({ ended, stop, commit: () => Promise.resolve() });
  };
  const commands = new RunCommands({
    log: { subscribe },
    takenOverUpTo: (position) => taken(position),
    onQueued: () => done.push('queued'),
    onError: (error) => errors.push(error),
  });
  const handle = (batch: readonly LogRecord[], leaving = new AbortController().signal) =>
    subscriptions[0]!.onBatch(0, batch, leaving);
  return {
    ...{ commands, done, subscriptions, errors, handle },
    never: () => (taken = () => new Promise(() => undefined)),
    end: (cause: Error) => {
      end(cause);
    },
  };
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('takes the runs of a batch over, and claims them; what is no command is passed over', async () => {
  const { commands, done, handle } = setUp();
  commands.start();
  await jest.advanceTimersByTimeAsync(0);
  await handle(records(command(4), null, 'other', command(9), command(7)));
  expect(done).toEqual(['taken 9', 'queued']);
  await commands.stop();
});

it('gives the batch back when the partition is given up, as the configuration does not come', async () => {
  const { commands, done, handle, never } = setUp();
  never();
  commands.start();
  await jest.advanceTimersByTimeAsync(0);
  const leaving = new AbortController();
  const handling = handle(records(command(4)), leaving.signal);
  leaving.abort();
  await expect(handling).rejects.toThrow('the partition was given up');
  expect(done).toEqual([]);
  await commands.stop();
});

it('begins to read again a second after reading has ended by itself', async () => {
  const { commands, subscriptions, errors, end } = setUp();
  commands.start();
  await jest.advanceTimersByTimeAsync(0);
  end(new Error('the group is gone'));
  await jest.advanceTimersByTimeAsync(999);
  expect(subscriptions).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(subscriptions).toHaveLength(2);
  expect(errors).toEqual([new Error('the group is gone')]);
  await commands.stop();
});

it('stops while it begins to read', async () => {
  const { commands, subscriptions } = setUp();
  commands.start();
  jest.advanceTimersByTime(0);
  expect(subscriptions).toHaveLength(1);
  let isStopped = false;
  void commands.stop().then(() => (isStopped = true));
  await jest.advanceTimersByTimeAsync(10_000);
  expect([isStopped, subscriptions.length]).toEqual([true, 1]);
});
