import type { WarehouseState, WorkspaceId } from '@penstock/contracts';
import { WarehouseFault, type WarehouseReader } from '@penstock/warehouses';
import { OpenedReaders } from './opened-readers';

const MAX = 3;

let readers: OpenedReaders;
/** The workspaces of readers that were opened, and of those that have ended, in order. */
let opened: string[];
let ended: string[];

beforeEach(() => {
  readers = new OpenedReaders(MAX);
  [opened, ended] = [[], []];
});

const VERSIONS = ['present', 'old', 'new'];

const stateOf = (id: string, version = 'present'): WarehouseState =>
  ({ id: id as WorkspaceId, version: VERSIONS.indexOf(version) }) as WarehouseState;

const opening = (name: string) => (signal: AbortSignal) => {
  opened.push(name);
  signal.addEventListener('abort', () => ended.push(name));
  return Promise.resolve({} as WarehouseReader);
};

const use = (
  id: string,
  version?: string,
  work: () => Promise<unknown> = () => Promise.resolve(),
) => readers.use(stateOf(id, version), opening(`${id} ${version ?? ''}`.trim()), work);

/** A use that lasts until it is told to end. */
const lasting = (id: string, version?: string) => {
  let finish: () => void = () => undefined;
  const done = use(id, version, () => new Promise<void>((resolve) => (finish = resolve)));
  return {
    finish: async () => {
      // The reader is awaited before the work begins.
      await Promise.resolve();
      await new Promise(setImmediate);
      finish();
      await done;
    },
  };
};

it('are opened once for each workspace', async () => {
  await Promise.all([use('a'), use('a'), use('b')]);
  await use('a');
  expect({ opened, ended }).toEqual({ opened: ['a', 'b'], ended: [] });
});

it('are opened anew for another version of the warehouse, and those before end with their last use', async () => {
  const before = lasting('a', 'old');
  await use('a', 'new');
  expect({ opened, ended }).toEqual({ opened: ['a old', 'a new'], ended: [] });
  await before.finish();
  expect(ended).toEqual(['a old']);
  await use('a', 'new');
  expect(opened).toHaveLength(2);
});

it('make room for others: that which was not used for the longest time', async () => {
  for (const id of ['a', 'b', 'c', 'a']) await use(id);
  expect({ opened, ended }).toEqual({ opened: ['a', 'b', 'c'], ended: [] });
  await use('d');
  expect(ended).toEqual(['b']);
  await use('b');
  expect(ended).toEqual(['b', 'c']);
});

it('that are used make no room', async () => {
  const [first, second] = [lasting('a'), lasting('b')];
  await use('c');
  await use('d');
  expect(ended).toEqual(['c']);
  await first.finish();
  await second.finish();
});

it('are opened anew after a fault of the warehouse, and after no other', async () => {
  const failing = (error: Error) => use('a', undefined, () => Promise.reject(error));
  await expect(failing(new Error('other'))).rejects.toThrow('other');
  expect(ended).toEqual([]);
  await expect(failing(new WarehouseFault('unreachable', 'away'))).rejects.toThrow('away');
  expect(ended).toEqual(['a']);
  await use('a');
  expect(opened).toEqual(['a', 'a']);
});

it('that cannot be opened are tried again', async () => {
  const away = () => Promise.reject(new WarehouseFault('unreachable', 'away'));
  await expect(readers.use(stateOf('a'), away, () => Promise.resolve())).rejects.toThrow('away');
  await use('a');
  expect(opened).toEqual(['a']);
});

it('are given up when opening takes ten seconds', async () => {
  jest.useFakeTimers();
  try {
    const never = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new WarehouseFault('unreachable', 'late'));
        });
      });
    const failing = readers.use(stateOf('a'), never, () => Promise.resolve());
    const outcome = failing.then(
      () => 'done',
      () => 'failed',
    );
    await jest.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([outcome, Promise.resolve('waits')])).toBe('waits');
    await jest.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe('failed');
  } finally {
    jest.useRealTimers();
  }
});

it('end when all are closed, those that are used with their use', async () => {
  const used = lasting('a');
  await use('b');
  readers.close();
  expect(ended).toEqual(['b']);
  await used.finish();
  expect(ended).toEqual(['b', 'a']);
});
