import type { OrganizationId, WarehouseState, WorkspaceId } from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import type { Seals } from '@penstock/runtime';
import type { WarehousePlatform, WarehouseReader } from '@penstock/warehouses';
import type { EntityManager } from 'typeorm';
import type { WarehouseChecks } from '../warehouse/warehouse-checks';
import { WarehouseReads } from './warehouse-reads';

let reads: WarehouseReads;
/** Readers that were opened and have not ended. */
let open: number;
let under: number;
/** Ends the reads that are under way, the first one first. */
let finishers: (() => void)[];

const store = {
  read: ([stream = '']: readonly string[]) => {
    const id = stream.slice(stream.indexOf('-') + 1) as WorkspaceId;
    const state = { id, platform: 'PostgreSQL', settings: 's', mode: 'Normal' } as WarehouseState;
    return Promise.resolve([{ state, version: 1 }]);
  },
} as unknown as EventStore<EntityManager>;

const platform = {
  openReader: (_: unknown, __: unknown, signal: AbortSignal) => {
    open += 1;
    signal.addEventListener('abort', () => (open -= 1));
    return Promise.resolve({} as WarehouseReader);
  },
} as unknown as WarehousePlatform;

const checks = {
  open: () => ({ platform, settings: new Map() }),
} as unknown as WarehouseChecks;

beforeEach(() => {
  jest.useFakeTimers();
  reads = new WarehouseReads(store, checks);
  [open, under, finishers] = [0, 0, []];
});
afterEach(() => {
  jest.useRealTimers();
});

const soon = () => jest.advanceTimersByTimeAsync(1);

interface Read {
  outcome: string;
}

/** A read that lasts until it is ended. @param of workspace, and organization where it has several */
const read = (of: string, signal = new AbortController().signal): Read => {
  const begun: Read = { outcome: 'waits' };
  const [workspace, organization = workspace] = of.split('@');
  const request = {
    workspace: workspace as WorkspaceId,
    organization: organization as OrganizationId,
    seals: {} as Seals,
    signal,
  };
  const work = async (): Promise<void> => {
    begun.outcome = 'reads';
    under += 1;
    await new Promise<void>((resolve) => finishers.push(resolve));
    under -= 1;
  };
  reads.in(request, work).then(
    () => (begun.outcome = 'done'),
    (error: unknown) => (begun.outcome = String(error)),
  );
  return begun;
};

const many = async (count: number, workspaceOf: (index: number) => string): Promise<Read[]> => {
  const all: Read[] = [];
  for (let index = 0; index < count; index += 1) {
    all.push(read(workspaceOf(index)));
    await soon();
  }
  return all;
};

const outcomes = (all: readonly Read[]): string[] => all.map(({ outcome }) => outcome);

const BUSY = expect.stringContaining('too many reads of data warehouses are under way') as string;

it('are two of one workspace at a time, and four wait', async () => {
  const all = await many(7, () => 'a');
  expect(outcomes(all)).toEqual(['reads', 'reads', 'waits', 'waits', 'waits', 'waits', BUSY]);
  finishers.shift()?.();
  await soon();
  expect(outcomes(all).slice(0, 4)).toEqual(['done', 'reads', 'reads', 'waits']);
  expect(outcomes(await many(1, () => 'b'))).toEqual(['reads']);
});

it('wait for two seconds', async () => {
  await many(2, () => 'a');
  const [waiting, served] = [read('a'), read('a')];
  await jest.advanceTimersByTimeAsync(1_999);
  expect(outcomes([waiting, served])).toEqual(['waits', 'waits']);
  finishers.shift()?.();
  await jest.advanceTimersByTimeAsync(0);
  expect(outcomes([waiting, served])).toEqual(['reads', 'waits']);
  await soon();
  expect(outcomes([waiting, served])).toEqual(['reads', BUSY]);
});

it('are 24 of all workspaces at a time, over as many readers', async () => {
  const all = await many(24, (index) => `w${String(index)}`);
  expect({ under, open }).toEqual({ under: 24, open: 24 });
  const [next] = await many(1, () => 'next');
  expect(next?.outcome).toBe('waits');
  finishers.shift()?.();
  await soon();
  expect(outcomes([all[0], next].filter((each) => each !== undefined))).toEqual(['done', 'reads']);
  expect({ under, open }).toEqual({ under: 24, open: 24 });
});

it('leave a place for another organization, whose turn comes before those of one that has many', async () => {
  const all = await many(24, (index) => `a${String(index)}@a`);
  expect(outcomes(all).filter((each) => each === 'reads')).toHaveLength(23);
  const [other, more] = await many(2, (index) => `b${String(index)}@b`);
  expect([other?.outcome, more?.outcome]).toEqual(['reads', 'waits']);
  finishers.shift()?.();
  await soon();
  expect([more?.outcome, all.at(-1)?.outcome]).toEqual(['reads', 'waits']);
});

it('keep the readers of the 24 workspaces that were used last', async () => {
  for (let index = 0; index < 30; index += 1) {
    await many(1, () => `w${String(index)}`);
    finishers.shift()?.();
    await soon();
  }
  expect(open).toBe(24);
  reads.onModuleDestroy();
  expect(open).toBe(0);
});

it('are not begun when nobody waits for them any more', async () => {
  await many(2, () => 'a');
  const controller = new AbortController();
  const waiting = read('a', controller.signal);
  await soon();
  controller.abort(new Error('gone'));
  await soon();
  expect(waiting.outcome).toBe('Error: gone');
  expect(under).toBe(2);
});
