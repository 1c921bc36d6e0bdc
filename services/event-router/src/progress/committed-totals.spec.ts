import type { PipelineId } from '@penstock/contracts';
import { baseKey, type Counted, countKey } from '../store/changes';
import { CommittedTotals } from './committed-totals';

const key = (pipeline: string, state: Counted['state'], code = ''): string =>
  countKey(pipeline as PipelineId, { state, step: 'Finalize', code }, 0);

it('adds up all pipelines and codes of a state, and all audiences of a kind', () => {
  const totals = new CommittedTotals();
  totals.add({
    counts: new Map([
      [key('pipeline00000a', 'Rejected', '400'), 2],
      [key('pipeline00000b', 'Rejected', '404'), 3],
      [key('pipeline00000a', 'Matched'), 9],
    ]),
    bases: new Map([[baseKey('audience', 'New', 0), 9]]),
  });
  totals.add({
    counts: new Map([[key('pipeline00000a', 'Rejected', 'a|b'), 1]]),
    bases: new Map([[baseKey('another', 'New', 60_000), 1]]),
  });
  expect([...totals.deliveries]).toEqual([
    ['Rejected', 6],
    ['Matched', 9],
  ]);
  expect([...totals.events]).toEqual([['New', 10]]);
});
