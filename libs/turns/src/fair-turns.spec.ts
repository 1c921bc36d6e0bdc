import * as fc from 'fast-check';
import { FairTurns, type FairTurnsLimits, type TurnRequest } from './fair-turns';
import { TurnRefused } from './turn-refused';

/** Starts tasks that run until the spec ends them. */
const crowd = (limits: FairTurnsLimits) => {
  const turns = new FairTurns(limits);
  const begun: string[] = [];
  const running = new Map<string, () => void>();
  const take = (name: string, requested: TurnRequest): Promise<void> =>
    turns.take(requested, () => {
      begun.push(name);
      return new Promise<void>((resolve) => running.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    running.get(name)?.();
    running.delete(name);
    await new Promise(setImmediate);
  };
  return { turns, begun, running, take, end };
};

/** Returns `A1` to `A…`. */
const names = (share: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${share}${String(index + 1)}`);

it('begins at once when a place is free, and continues after a failure', async () => {
  const turns = new FairTurns({ places: 1 });
  const begun: number[] = [];
  const failing = turns.take({ share: '' }, () => {
    begun.push(1);
    return Promise.reject(new Error('failed'));
  });
  const other = turns.take({ share: '' }, () => {
    begun.push(2);
    return Promise.resolve('done');
  });
  expect(begun).toEqual([1]);
  await expect(failing).rejects.toThrow('failed');
  expect(await other).toBe('done');
  expect(turns.unused).toBe(true);
});

it('serves one share in the order of its calls', async () => {
  const { begun, take, end } = crowd({ places: 2 });
  for (const name of names('A', 4)) void take(name, { share: 'A' });
  expect(begun).toEqual(['A1', 'A2']);
  await end('A2');
  await end('A1');
  expect(begun).toEqual(['A1', 'A2', 'A3', 'A4']);
});

it('keeps one place of four for a share that has none, but none of three', () => {
  for (const [places, most] of [
    [4, 3],
    [3, 3],
    [1, 1],
  ] as const) {
    const { begun, take } = crowd({ places });
    for (const name of names('A', 6)) void take(name, { share: 'A' });
    expect(begun).toHaveLength(most);
    void take('B1', { share: 'B' });
    expect(begun.includes('B1')).toBe(most < places);
  }
});

it('gives a share no more than half of the places while another waits', async () => {
  const { begun, running, take, end } = crowd({ places: 4 });
  for (const name of names('A', 9)) void take(name, { share: 'A' });
  for (const name of names('B', 9)) void take(name, { share: 'B' });
  expect(begun).toEqual(['A1', 'A2', 'A3', 'B1']);
  await end('A1');
  expect([...running.keys()]).toEqual(['A2', 'A3', 'B1', 'B2']);
  for (let turn = 0; turn < 8; turn += 1) {
    await end([...running.keys()][0] ?? '');
    expect([...running.keys()].filter((name) => name.startsWith('A'))).toHaveLength(2);
  }
});

it('serves waiting shares round robin, and the lines of a share in turn', async () => {
  const { begun, take, end } = crowd({ places: 1 });
  void take('first', { share: 'X' });
  for (const name of names('A', 3)) void take(name, { share: 'A', line: 'previews' });
  void take('Ap', { share: 'A', line: 'pipelines' });
  void take('B1', { share: 'B' });
  void take('B2', { share: 'B' });
  for (const name of ['first', 'A1', 'B1', 'Ap', 'B2', 'A2', 'A3']) {
    expect(begun.at(-1)).toBe(name);
    await end(name);
  }
});

it('lets a share use more places once no other share waits', async () => {
  const { begun, take, end } = crowd({ places: 6 });
  for (const name of names('A', 9)) void take(name, { share: 'A' });
  for (const name of names('B', 3)) void take(name, { share: 'B' });
  for (const name of names('B', 3)) await end(name);
  expect(begun.filter((name) => name.startsWith('A'))).toHaveLength(5);
});

it('removes a cancelled task, and begins nothing for an aborted signal', async () => {
  const { turns, begun, take, end } = crowd({ places: 1 });
  const controller = new AbortController();
  void take('first', { share: 'A' });
  const waiting = take('gone', { share: 'A', signal: controller.signal });
  void take('next', { share: 'A' });
  controller.abort(new Error('nobody waits'));
  await expect(waiting).rejects.toThrow('nobody waits');
  await expect(take('late', { share: 'A', signal: controller.signal })).rejects.toThrow('nobody');
  await end('first');
  expect(begun).toEqual(['first', 'next']);
  await end('next');
  expect(turns.unused).toBe(true);
});

it('does not end a running task when its signal is aborted', async () => {
  const { turns, begun, take, end } = crowd({ places: 1 });
  const controller = new AbortController();
  const running = take('first', { share: 'A', signal: controller.signal });
  controller.abort(new Error('too late'));
  await end('first');
  await running;
  expect(begun).toEqual(['first']);
  expect(turns.unused).toBe(true);
});

it('refuses tasks beyond the limit of their share, and accepts those of others', async () => {
  const { turns, take } = crowd({ places: 1, maxWaitingOfShare: 2 });
  for (const name of names('A', 3)) void take(name, { share: 'A' });
  await expect(take('A4', { share: 'A' })).rejects.toThrow(TurnRefused);
  void take('B1', { share: 'B' });
  expect(turns.waits).toBe(3);
});

it('makes room within the total limit by refusing the latest task of the largest share', async () => {
  const { turns, take } = crowd({ places: 1, maxWaiting: 3 });
  void take('A1', { share: 'A' });
  const waiting = names('A', 4)
    .slice(1)
    .map((name) => take(name, { share: 'A' }));
  await expect(take('A5', { share: 'A' })).rejects.toThrow(TurnRefused);
  void take('B1', { share: 'B' });
  await expect(waiting[2]).rejects.toThrow(TurnRefused);
  expect(turns.waits).toBe(3);
  await expect(take('B2', { share: 'B' })).rejects.toThrow(TurnRefused);
});

type Step = { readonly ask: number } | { readonly end: number } | { readonly abort: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ask: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ end: fc.nat(20) }) },
  fc.record({ abort: fc.nat(20) }),
);

it('loses no task, gives no place twice, and leaves none empty while a share may use it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), fc.array(step), async (places, steps) => {
      const { turns, begun, running, take, end } = crowd({ places });
      const waiting = new Map<string, AbortController>();
      let requested = 0;
      let gone = 0;
      for (const each of steps) {
        if ('ask' in each) {
          const name = `${String(each.ask)}-${String((requested += 1))}`;
          const controller = new AbortController();
          waiting.set(name, controller);
          take(name, { share: String(each.ask), signal: controller.signal }).catch(() => {
            gone += 1;
          });
        } else if ('end' in each) {
          await end([...running.keys()][each.end % (running.size || 1)] ?? '');
        } else {
          const [name, controller] = [...waiting][each.abort % (waiting.size || 1)] ?? ['', null];
          waiting.delete(name);
          controller?.abort();
          await new Promise(setImmediate);
        }
        for (const name of begun) waiting.delete(name);
        const shares = new Map<string, number>();
        for (const name of running.keys()) shares.set(name[0]!, (shares.get(name[0]!) ?? 0) + 1);
        expect(turns.taken).toBe(running.size);
        expect(running.size).toBeLessThanOrEqual(places);
        expect(turns.waits).toBe(requested - begun.length - gone);
        const waits = new Set([...waiting.keys()].map((name) => name[0]!));
        const half = Math.ceil(places / 2);
        if (running.size < places)
          for (const share of waits) expect(shares.get(share)).toBeGreaterThanOrEqual(half);
        if (running.size < places - 1) expect(waits.size).toBe(0);
      }
      while (running.size > 0) await end([...running.keys()][0] ?? '');
      expect(turns.unused).toBe(true);
      expect(begun.length + gone).toBe(requested);
    }),
    { numRuns: 200 },
  );
});
