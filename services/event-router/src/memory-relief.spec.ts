import type { Lane } from './lanes/lane';
import { MemoryRelief } from './memory-relief';
import { MemoryBudget } from './progress/memory-budget';

/** A lane with this many bytes of live deliveries, of which some are in requests and cannot be let go. */
class FakeLane {
  identity: { id: string };
  length = 1;
  detached = 0;

  constructor(
    private readonly budget: MemoryBudget,
    public bytes: number,
    public inRequests = 0,
  ) {
    this.identity = { id: String(bytes) };
    budget.take('events', bytes);
  }

  detachAll(): void {
    this.detached += 1;
    this.budget.release('events', this.bytes - this.inRequests);
    this.bytes = this.inRequests;
  }
}

const reliefOf = (budget: MemoryBudget, lanes: readonly FakeLane[]): MemoryRelief =>
  new MemoryRelief(budget, lanes as unknown as readonly Lane[]);

it('detaches the largest lanes until enough was freed', () => {
  const budget = new MemoryBudget(100);
  const lanes = [new FakeLane(budget, 10), new FakeLane(budget, 40), new FakeLane(budget, 35)];
  reliefOf(budget, lanes).relieve();
  expect(lanes.map(({ detached }) => detached)).toEqual([0, 1, 0]);
  expect(budget.hasRoom).toBe(true);
});

it('frees memory for readers that wait for it, though less than 80 % are used by now', () => {
  const budget = new MemoryBudget(100);
  const lane = new FakeLane(budget, 70);
  budget.take('values', 10);
  budget.release('values', 10);
  expect([budget.isTight, budget.hasRoom]).toEqual([false, false]);
  reliefOf(budget, [lane]).relieve();
  expect([lane.detached, budget.hasRoom]).toEqual([1, true]);
});

it('tries again when memory has grown, and from time to time', () => {
  const budget = new MemoryBudget(100);
  const lane = new FakeLane(budget, 90, 70);
  const relief = reliefOf(budget, [lane]);
  relief.relieve();
  relief.relieve();
  expect([lane.detached, budget.used]).toEqual([1, 70]);
  budget.take('values', 1);
  relief.relieve();
  expect(lane.detached).toBe(2);
  lane.inRequests = 0;
  relief.relieve();
  expect(lane.detached).toBe(2);
  relief.lookAfter();
  expect([lane.detached, budget.used]).toEqual([3, 1]);
  relief.lookAfter();
  expect(lane.detached).toBe(3);
});
