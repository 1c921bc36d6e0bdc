import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Shutdown } from './shutdown';

const setUp = (deadlineMs = 10_000) => {
  const events: string[] = [];
  const note = (text: string) => () => void events.push(text);
  const logger = {
    info: note('info'),
    error: (members: { closer: string }) => void events.push(`error ${members.closer}`),
    fatal: note('fatal'),
  };
  const source = new EventEmitter();
  const shutdown = new Shutdown({
    logger,
    deadlineMs,
    exit: (code) => events.push(`exit ${code}`),
  });
  const stopListening = shutdown.listen(source);
  return { events, note, source, shutdown, stopListening };
};

it.each(['SIGINT', 'SIGTERM'])(
  'on %s closes what was opened last first, and exits with 0',
  async (signal) => {
    const { events, note, source, shutdown } = setUp();
    shutdown.onClose('database', note('database'));
    shutdown.onClose('server', async () => {
      await turn();
      events.push('server');
    });
    source.emit(signal, signal);
    await shutdown.end(0);
    expect(events).toEqual(['info', 'server', 'database', 'exit 0']);
  },
);

it('goes on past a closer that fails, and exits with 1', async () => {
  const { events, note, shutdown } = setUp();
  shutdown.onClose('database', note('database'));
  shutdown.onClose('server', () => Promise.reject(new Error('stuck')));
  shutdown.onClose('timer', () => {
    throw new Error('at once');
  });
  await shutdown.end(0);
  expect(events).toEqual(['error timer', 'error server', 'database', 'exit 1']);
});

it('exits with 1 at the deadline', async () => {
  const { events, shutdown } = setUp(10);
  shutdown.onClose('server', () => new Promise(() => undefined));
  await shutdown.end(0);
  expect(events).toEqual(['exit 1']);
});

describe('a second signal', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s cuts the closing short after two seconds, not before', async (signal, code) => {
    const { events, source, shutdown } = setUp();
    let close = (): void => undefined;
    shutdown.onClose('server', () => new Promise<void>((resolve) => (close = resolve)));
    source.emit('SIGTERM', 'SIGTERM');
    jest.advanceTimersByTime(1_999);
    source.emit(signal, signal);
    expect(events).toEqual(['info']);
    jest.advanceTimersByTime(1);
    source.emit(signal, signal);
    expect(events).toEqual(['info', `exit ${code}`]);
    close();
    await shutdown.end(0);
  });
});

it.each(['uncaughtException', 'unhandledRejection'])(
  'on %s closes and exits with 1',
  async (fault) => {
    const { events, note, source, shutdown } = setUp();
    shutdown.onClose('database', note('database'));
    source.emit(fault, new Error('bug'));
    await shutdown.end(0);
    expect(events).toEqual(['fatal', 'database', 'exit 1']);
  },
);

it('exits with 1 when an error comes up while it closes', async () => {
  const { events, source, shutdown } = setUp();
  source.emit('SIGTERM', 'SIGTERM');
  source.emit('unhandledRejection', new Error('bug'));
  await shutdown.end(0);
  expect(events).toEqual(['info', 'fatal', 'exit 1']);
});

it('tells what is being started that it is ending', async () => {
  const { source, shutdown } = setUp();
  expect(shutdown.isEnding).toBe(false);
  source.emit('SIGTERM', 'SIGTERM');
  expect(shutdown.isEnding).toBe(true);
  await shutdown.end(0);
});

it('closes once, however often it is called', async () => {
  const { events, note, shutdown } = setUp();
  shutdown.onClose('database', note('database'));
  await Promise.all([shutdown.end(0), shutdown.end(0)]);
  expect(events).toEqual(['database', 'exit 0']);
});

it('is ending from the signal on', async () => {
  const { source, shutdown } = setUp();
  expect(shutdown.isEnding).toBe(false);
  source.emit('SIGTERM', 'SIGTERM');
  expect(shutdown.isEnding).toBe(true);
  await shutdown.end(0);
});

it('gives the signals back', () => {
  const { events, source, stopListening } = setUp();
  stopListening();
  source.emit('SIGTERM', 'SIGTERM');
  expect(events).toEqual([]);
});
