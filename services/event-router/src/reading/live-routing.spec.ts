import { MemoryBudget } from '../progress/memory-budget';
import type { OwnedPartition } from '../progress/owned-partition';
import { LiveRouting, type LiveRoutingContext } from './live-routing';

it('frees memory before it waits for it, since nothing else may do so', async () => {
  const budget = new MemoryBudget(1_000);
  budget.take('events', 900);
  const relieve = jest.fn(() => {
    budget.release('events', 900);
  });
  const context = { budget, relief: { relieve } } as unknown as LiveRoutingContext;
  const partition = { routed: 0 } as OwnedPartition;
  await new LiveRouting(context).take(partition, [], new AbortController().signal);
  expect(relieve).toHaveBeenCalledTimes(1);
});
