import { JsonText } from '@penstock/schema';
import { RecordFailure } from '@penstock/transformations';
import { compilePipeline } from '../route/compiled-pipeline';
import { MemoryBudget } from '../partitions/memory-budget';
import { Partition } from '../partitions/partition';
import { Ticket } from '../partitions/ticket';
import { functionState } from '../testing/pipelines.fixture';
import type { Delivery } from './delivery';
import { bytesOf, FunctionResults } from './function-results';

const setUp = (maxBytes: number, hasTicket = true) => {
  const budget = new MemoryBudget(maxBytes);
  const partition = new Partition(0, 1, { next: 0, beyond: [] }, () => undefined);
  const ticket = new Ticket(partition, 0, null, '', 100);
  partition.begin(ticket);
  budget.take(100);
  const delivery: Delivery = {
    partition,
    offset: 0,
    orderKey: 'a',
    pipeline: compilePipeline(functionState('')),
    event: {},
    eventText: '{}',
    body: '',
    ticket: hasTicket ? ticket : null,
    sinceMs: 0,
    attempts: 0,
    firstAttemptMs: 0,
    values: undefined,
    valuesBytes: 0,
    isTransforming: false,
    isDone: false,
    reason: '',
  };
  return { budget, partition, ticket, delivery, results: new FunctionResults(budget) };
};

const VALUES = { text: 'x'.repeat(1_000) };

it('counts what it keeps until the event has ended', () => {
  const { budget, partition, ticket, delivery, results } = setUp(10_000);
  results.keep(delivery, VALUES);
  expect(delivery.values).toBe(VALUES);
  expect(budget.used).toBe(100 + bytesOf(VALUES));
  expect(partition.bytes).toBe(budget.used);
  ticket.release();
  const taken = partition.take();
  expect(taken?.bytes).toBe(budget.used);
});

it('keeps it while there is room', () => {
  const { budget, delivery, results } = setUp(2_000);
  results.keep(delivery, VALUES);
  results.relieve(delivery);
  expect(delivery.values).toBe(VALUES);
  budget.take(500);
  results.relieve(delivery);
  expect(delivery.values).toBeUndefined();
  expect(budget.used).toBe(600);
});

it('does not count what is read from the store', () => {
  const { budget, delivery, results } = setUp(10_000, false);
  results.keep(delivery, new RecordFailure('Transformation', 'x'.repeat(100)));
  expect(budget.used).toBe(100);
});

it.each([
  ['x'.repeat(100), 100],
  [JsonText.trusted(`"${'x'.repeat(98)}"`), 100],
  [{ a: 'x'.repeat(50), b: ['y'.repeat(50)] }, 100],
  [new Map([['a', 'x'.repeat(100)]]), 100],
  [[1, 2n, true, null], 0],
])('knows about how large a value is', (value, bytes) => {
  expect(bytesOf(value)).toBeGreaterThanOrEqual(bytes + 16);
  expect(bytesOf(value)).toBeLessThanOrEqual(bytes + 100);
});
