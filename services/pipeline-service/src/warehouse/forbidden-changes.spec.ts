import {
  Refusal,
  type WarehouseMode,
  type WarehouseState,
  type WorkspaceId,
} from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import type { DataKeys } from '../data-keys/data-keys';
import { ForbiddenChanges } from './forbidden-changes';
import type { WarehouseChecks } from './warehouse-checks';

const WORKSPACE = 'workspace0000001' as WorkspaceId;

let mode: WarehouseMode;
/** Whether a change is recorded as under way, and whether its worker is gone, so that it can be ended. */
let isOpen: boolean;
let isLeft: boolean;
let interruptions: number;
let interrupt: () => Promise<void>;
let changes: ForbiddenChanges;

const store = {
  db: undefined,
  read: () => {
    const endedAt = isOpen ? null : '2026-01-01T00:00:00.000Z';
    const state = { id: WORKSPACE, mode, profileChange: { endedAt } } as WarehouseState;
    return Promise.resolve([{ state, version: 1 }]);
  },
} as unknown as EventStore<EntityManager>;

const warehouse = {
  interruptChange: () => {
    interruptions += 1;
    return interrupt();
  },
  close: () => Promise.resolve(),
};

const checks = {
  open: () => ({ platform: { connect: () => Promise.resolve(warehouse) }, settings: new Map() }),
} as unknown as WarehouseChecks;

const settle = (): Promise<void> => {
  if (!isLeft) return Promise.reject(new Refusal('OperationAlreadyExecuting'));
  isOpen = false;
  return Promise.resolve();
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  [mode, isOpen, isLeft, interruptions] = ['Inspection', true, false, 0];
  interrupt = () => {
    isLeft = true;
    return Promise.resolve();
  };
  const dataKeys = { of: () => Promise.resolve({}) } as unknown as DataKeys;
  changes = new ForbiddenChanges(store, checks, dataKeys, { settle } as never);
});
afterEach(() => {
  jest.useRealTimers();
});

const end = (signal = new AbortController().signal) => {
  let isDone = false;
  void changes.end(WORKSPACE, signal).then(() => (isDone = true));
  return {
    after: async (ms: number): Promise<boolean> => {
      await jest.advanceTimersByTimeAsync(ms);
      return isDone;
    },
  };
};

it('has ten seconds to end, then it is interrupted', async () => {
  const ending = end();
  expect(await ending.after(9_900)).toBe(false);
  expect(interruptions).toBe(0);
  expect(await ending.after(1_000)).toBe(true);
  expect({ interruptions, isOpen }).toEqual({ interruptions: 1, isOpen: false });
});

it('is not interrupted when it ends in time, is left, or is allowed again', async () => {
  const endings: (() => void)[] = [
    () => (isOpen = false),
    () => (isLeft = true),
    () => (mode = 'Maintenance'),
  ];
  for (const take of endings) {
    [mode, isOpen, isLeft] = ['Inspection', true, false];
    const ending = end();
    expect(await ending.after(8_000)).toBe(false);
    take();
    expect(await ending.after(1_000)).toBe(true);
  }
  expect(interruptions).toBe(0);
});

it('is waited for 15 seconds at most, whatever the warehouse does', async () => {
  interrupt = () => Promise.reject(new Refusal('ServiceUnavailable'));
  const ending = end();
  expect(await ending.after(10_500)).toBe(false);
  expect(await ending.after(4_500)).toBe(true);
  expect({ interruptions, isOpen }).toEqual({ interruptions: 1, isOpen: true });
});
