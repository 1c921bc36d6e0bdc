import type { RunId } from '@penstock/contracts';
import { WaitingReports } from './waiting-reports';

let reported: unknown[];
let errors: unknown[];
let isAway: boolean;
let reports: WaitingReports;

const report = (...what: readonly unknown[]): Promise<void> => {
  if (isAway) return Promise.reject(new Error('away'));
  reported.push(what);
  return Promise.resolve();
};

beforeEach(() => {
  [reported, errors, isAway] = [[], [], false];
  reports = new WaitingReports({
    ...{ run: 'run000000000001' as RunId, epoch: 3 },
    store: {
      beginWaiting: (_, epoch, { step, reason }) => report('begin', epoch, step, reason),
      setWaiting: (_, epoch, waiting) => report('set', epoch, waiting?.reason ?? null),
    },
    note: (since) => report('note', since === null ? null : Date.now() - Date.parse(since) > 9_000),
    onError: (error) => errors.push(error),
  });
});

const failed = (count: number, forMs: number, nextMs = 500): void => {
  reports.failed('Receive', `reason ${String(count)}`, { count, forMs, nextMs });
};

/** Resolves when everything was reported. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('reports from the second failure on, and once that it is over', async () => {
  failed(1, 0);
  reports.ended();
  failed(1, 0);
  failed(2, 700);
  failed(3, 2_000);
  failed(4, 900_000, 0);
  reports.ended();
  reports.ended();
  await settled();
  expect(reported).toEqual([
    ['begin', 3, 'Receive', 'reason 2'],
    ['set', 3, 'reason 3'],
    ['set', 3, null],
  ]);
});

it('notes a wait that lasts for the health of the pipeline, once', async () => {
  failed(2, 9_999);
  failed(3, 10_000);
  await settled();
  failed(4, 20_000);
  reports.ended();
  await settled();
  expect(reported.filter((each) => (each as unknown[])[0] === 'note')).toEqual([
    ['note', true],
    ['note', null],
  ]);
});

it('leaves out what cannot be reported, and notes it with a later failure', async () => {
  isAway = true;
  failed(2, 10_000);
  await settled();
  expect([reported, errors.length]).toEqual([[], 2]);
  isAway = false;
  failed(3, 20_000);
  reports.ended();
  await settled();
  expect(reported).toEqual([
    ['set', 3, 'reason 3'],
    ['note', true],
    ['set', 3, null],
    ['note', null],
  ]);
});
