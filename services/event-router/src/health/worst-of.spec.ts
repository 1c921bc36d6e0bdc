import type { ConnectionId, HealthCode, PipelineId } from '@penstock/contracts';
import type { Observation } from '../store/router-store';
import { worstOf } from './worst-of';

const of = (code: HealthCode, sinceMs: number, id = 'destination0001'): Observation => ({
  subject: 'connection',
  id: id as ConnectionId,
  code,
  sinceMs,
});

it('is the worst status of each object, since the first router has observed it', () => {
  const pipeline = {
    ...of('ManyRejected', 9),
    subject: 'pipeline' as const,
    id: 'p' as PipelineId,
  };
  expect(
    worstOf([
      of('', 1),
      of('DestinationFails', 5),
      of('Behind', 2),
      of('DestinationFails', 4),
      pipeline,
      of('AccessDenied', 7, 'destination0002'),
      of('DestinationFails', 6, 'destination0002'),
    ]),
  ).toEqual([of('DestinationFails', 4), pipeline, of('AccessDenied', 7, 'destination0002')]);
});

it('is healthy only where no router has observed a trouble', () => {
  expect(worstOf([of('', 1), of('', 3)])).toEqual([of('', 1)]);
  expect(worstOf([of('', 1), of('KeysFail', 3)])).toEqual([of('KeysFail', 3)]);
  expect(worstOf([])).toEqual([]);
});
