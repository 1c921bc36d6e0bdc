import { newId } from '@penstock/runtime';
import type { OrganizationId, RequestContext, WorkspaceId } from '@penstock/contracts';
import { type SlowRequestLimits, SlowRequests } from './slow-requests';

const LIMITS: SlowRequestLimits = { places: 4, maxWaitingOfShare: 3, maxWaiting: 5 };
const MANY = { code: 'ServiceUnavailable', message: expect.stringContaining('too many') as string };

const contextOf = (workspace: string, organization = 'o'): RequestContext => ({
  commandId: newId(),
  actor: 'key',
  requestId: 'request',
  organization: organization as OrganizationId,
  workspace: workspace as WorkspaceId,
});

/** Requests that are under way until the test ends them. */
const crowd = (limits = LIMITS) => {
  const slow = new SlowRequests(limits);
  const begun: string[] = [];
  const running = new Map<string, () => void>();
  const signals = new Map<string, AbortSignal>();
  const ask = (
    name: string,
    {
      deadlineMs,
      pattern = 'TestWarehouse',
      organization,
      signal: unwanted = new AbortController().signal,
    }: {
      deadlineMs?: number;
      signal?: AbortSignal;
      pattern?: 'TestWarehouse' | 'RepairWarehouse' | 'SetWarehouseMode';
      organization?: string;
    } = {},
  ): Promise<string> => {
    const request = { context: contextOf(name.replace(/\d+$/, ''), organization), in: {} };
    return slow.handle(request, { pattern, deadlineMs, signal: unwanted }, (signal) => {
      begun.push(name);
      signals.set(name, signal);
      return new Promise((resolve) => running.set(name, () => resolve(name)));
    });
  };
  const end = async (name: string): Promise<void> => {
    running.get(name)?.();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { slow, begun, signals, ask, end };
};

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => jest.useRealTimers());

it('begins the requests of another workspace while one has all that it may have', async () => {
  const { begun, ask, end } = crowd();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void ask(name);
  void ask('b1');
  void ask('b2');
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4']);
});

it('serves commands and questions of a workspace in turn', async () => {
  const { begun, ask, end } = crowd({ ...LIMITS, places: 1 });
  for (const name of ['a1', 'a2', 'a3']) void ask(name);
  void ask('a4', { pattern: 'RepairWarehouse' });
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'a4']);
});

it('refuses what is beyond the bound of one workspace, and no other for it', async () => {
  const { begun, ask } = crowd();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void ask(name);
  await expect(ask('a7')).rejects.toMatchObject({ ...MANY, kind: 'unavailable' });
  void ask('b1');
  expect(begun).toContain('b1');
});

it('makes room in all by the latest of the workspace that has most', async () => {
  const { ask } = crowd({ places: 1, maxWaitingOfShare: 4, maxWaiting: 4 });
  void ask('a0');
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name));
  void ask('b1');
  await expect(asked[3]).rejects.toMatchObject(MANY);
});

it('shares what concerns no workspace by organization', () => {
  const { begun, ask } = crowd();
  for (const name of ['1', '2', '3', '4']) void ask(name, { organization: 'one' });
  void ask('5', { organization: 'other' });
  expect(begun).toEqual(['1', '2', '3', '5']);
});

it('begins nothing for which nobody waits any more', async () => {
  const { begun, ask, end } = crowd({ ...LIMITS, places: 1 });
  await expect(ask('a0', { deadlineMs: Date.now() })).rejects.toMatchObject({
    code: 'ServiceUnavailable',
  });
  void ask('a1');
  const late = ask('a2', { deadlineMs: Date.now() + 5_000 });
  const refused = expect(late).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  await jest.advanceTimersByTimeAsync(5_000);
  await refused;
  await end('a1');
  expect(begun).toEqual(['a1']);
});

it.each([
  ['the deadline', 5_000, 5_000],
  ['30 s, for a deadline beyond', 3_600_000, 30_000],
  ['30 s, without a deadline', undefined, 30_000],
])('notifies the work at %s that nobody waits any more', async (_, leftMs, firesAfterMs) => {
  const { signals, ask } = crowd();
  void ask('a1', leftMs === undefined ? {} : { deadlineMs: Date.now() + leftMs });
  await jest.advanceTimersByTimeAsync(firesAfterMs - 1);
  expect(signals.get('a1')?.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(signals.get('a1')?.aborted).toBe(true);
  expect(signals.get('a1')?.reason).toMatchObject({ code: 'ServiceUnavailable' });
});

it('sets no alarm for what has ended', async () => {
  const { ask, end } = crowd();
  const asked = ask('a1');
  await end('a1');
  expect(await asked).toBe('a1');
  expect(jest.getTimerCount()).toBe(0);
});

it('begins what is not slow at once, whoever has turns', () => {
  const { begun, ask } = crowd({ ...LIMITS, places: 1 });
  for (const name of ['a1', 'a2']) void ask(name);
  void ask('a3', { pattern: 'SetWarehouseMode' });
  expect(begun).toEqual(['a1', 'a3']);
});

it('gives what the work throws', async () => {
  const slow = new SlowRequests(LIMITS);
  const error = new Error('broken');
  const request = { context: contextOf('a'), in: {} };
  const asked = slow.handle(
    request,
    { pattern: 'RepairWarehouse', deadlineMs: undefined, signal: new AbortController().signal },
    () => Promise.reject(error),
  );
  await expect(asked).rejects.toBe(error);
});

it('refuses what waits when it is closed, and lets the others end', async () => {
  const { slow, ask, end } = crowd({ ...LIMITS, places: 1 });
  const running = ask('a1');
  const waiting = expect(ask('a2')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  slow.close();
  await waiting;
  await end('a1');
  expect(await running).toBe('a1');
});

it('withdraws a request that nobody waits for: it is not begun, or it is notified', async () => {
  const { begun, signals, ask, end } = crowd();
  const [first, second] = [new AbortController(), new AbortController()];
  const running = ask('a1', { signal: first.signal });
  for (const name of ['a2', 'a3', 'a4']) void ask(name);
  const waiting = ask('a5', { signal: second.signal });
  second.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  expect(signals.get('a1')?.aborted).toBe(false);
  first.abort();
  expect(signals.get('a1')?.aborted).toBe(true);
  await end('a1');
  expect(await running).toBe('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
  await expect(ask('a6', { signal: first.signal })).rejects.toMatchObject({
    code: 'ServiceUnavailable',
  });
});
