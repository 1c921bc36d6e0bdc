import type { ConnectionId, JobId } from '@penstock/contracts';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { SteadyWall } from '../progress/steady-wall';
import { jobLane } from '../store/lane-id';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { Lane } from './lane';
import type { LaneContext } from './lane-context';
import { ROUTER_DEFAULTS } from './router.options';

const clock = new FakeClock();

it('loads rows again that were added while a load found none', async () => {
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
  const answers: (() => void)[] = [];
  const loadRows = (): Promise<[]> =>
    new Promise((resolve) => {
      answers.push(() => {
        resolve([]);
      });
    });
  const wall = new SteadyWall(clock);
  const onRoom = (): void => undefined;
  const budget = new MemoryBudget(1_000_000);
  const context = { clock, wall, options: ROUTER_DEFAULTS, budget, loadRows, onRoom };
  const job = { id: 'job000000000001' as JobId, createdMs: 0 };
  const identity = jobLane(job, 'destination0001' as ConnectionId);
  const lane = new Lane(identity, context as unknown as LaneContext);
  lane.addRow(partition, 'key');
  const key = lane.part(partition).keys.get('key')!;
  expect(key).toMatchObject({ state: 'ready', storedRows: 1 });
  lane.flow.load(key);
  lane.addRow(partition, 'key');
  answers[0]!();
  await clock.advance(0);
  expect(key).toMatchObject({ state: 'waiting', storedRows: 2, isForgotten: false });
});
