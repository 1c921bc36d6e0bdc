import type { ConnectionId, JobId, PipelineId } from '@penstock/contracts';
import { type Counted, countKey, sourceKey } from '../store/changes';
import { CommittedTotals } from './committed-totals';

const key = (pipeline: string, state: Counted['state'], code = ''): string =>
  countKey(pipeline as PipelineId, { state, step: 'Finalize', code }, 0);

it('adds up all pipelines and codes of a state, all sources of a kind, and times', () => {
  const delivered: [number, number][] = [];
  const totals = new CommittedTotals((...each) => delivered.push(each));
  totals.add({
    counts: new Map([
      [key('pipeline00000a', 'Rejected', '400'), 2],
      [key('pipeline00000b', 'Rejected', '404'), 3],
      [key('pipeline00000a', 'Matched'), 9],
    ]),
    sources: new Map([[sourceKey('one' as ConnectionId, 'New', 0), 9]]),
    times: new Map([['a|0', { retries: 2, latencies: new Map([[0, 3]]) }]]),
    redriven: [],
  });
  totals.add({
    counts: new Map([[key('pipeline00000a', 'Rejected', 'a|b'), 1]]),
    sources: new Map([[sourceKey('another' as ConnectionId, 'New', 60_000), 1]]),
    times: new Map([['b|0', { retries: 1, latencies: new Map([[0, 1]]) }]]),
    redriven: [],
  });
  expect([...totals.deliveries]).toEqual([
    ['Rejected', 6],
    ['Matched', 9],
  ]);
  expect([...totals.events]).toEqual([['New', 10]]);
  expect(totals.retries).toBe(3);
  expect(delivered).toEqual([
    [1, 3],
    [1, 1],
  ]);
});

it('counts what redrives have ended anew, but what was erased', () => {
  const totals = new CommittedTotals(() => undefined);
  const before = { state: 'Rejected', step: 'Finalize', code: '404' } as const;
  const now = { state: 'Delivered', step: 'Finalize', code: '', reason: '' } as const;
  const one = {
    job: 'job' as JobId,
    offset: 1,
    pipeline: 'p' as PipelineId,
    version: 1,
    attempts: 1,
  };
  totals.add({
    counts: new Map([[key('p', 'Delivered'), 2]]),
    sources: new Map(),
    times: new Map(),
    redriven: [
      { ...one, endings: { before, now }, atMs: 0 },
      { ...one, offset: 2, endings: { before, now }, atMs: 0 },
      { ...one, offset: 3, endings: null, atMs: 0 },
    ],
  });
  expect([...totals.deliveries]).toEqual([
    ['Delivered', 2],
    ['Redriven', 2],
  ]);
});
