import { type ConnectionId, RoutingReplica } from '@penstock/contracts';
import { DESTINATIONS, Facts, pipelineId, SOURCES } from './routing.fixture';
import { SourceRoutes } from './source-routes';
import { SourceTimeline } from './source-timeline';

const [source] = SOURCES as [ConnectionId];
const [one] = DESTINATIONS as [ConnectionId];

/** A source linked to a destination from position 3 on, whose pipeline changes at every later position. */
const changing = (positions: number): Facts => {
  const facts = new Facts();
  facts.connection(source);
  facts.connection(one);
  facts.connection(source, { links: [one] });
  while (facts.position < positions) facts.pipeline(pipelineId(1), { connection: one });
  return facts;
};

const replicaOf = (facts: Facts): RoutingReplica => {
  const replica = new RoutingReplica();
  for (const record of facts.records) replica.apply(record);
  return replica;
};

const foundIn = (timeline: SourceTimeline, positions: number): number[] =>
  Array.from({ length: positions + 1 }, (_, position) => position).filter(
    (position) => timeline.at(position) !== undefined,
  );

const routes = (): SourceRoutes => new SourceRoutes(source, []);

it('keeps a few stretches, the most recently used ones', () => {
  const timeline = new SourceTimeline(source, replicaOf(changing(20)).history);
  for (let position = 4; position <= 11; position += 1) timeline.add(position, [one], routes());
  expect(foundIn(timeline, 20)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  expect(timeline.at(4)).toBeDefined();
  timeline.add(12, [one], routes());
  expect(foundIn(timeline, 20)).toEqual([4, 6, 7, 8, 9, 10, 11, 12]);
  expect(timeline.weight).toBe(9);
});

it('ends the last stretch at a change that concerns the source, whenever the change is applied', () => {
  const facts = changing(6);
  const replica = replicaOf(facts);
  const timeline = new SourceTimeline(source, replica.history);
  const held = routes();
  timeline.add(6, [one], held);
  expect(timeline.at(1_000)).toBe(held);
  facts.connection(one, { name: 'Another name' });
  facts.connection(DESTINATIONS[1] as ConnectionId);
  for (const record of facts.records) replica.apply(record);
  expect(timeline.at(1_000)).toBe(held);
  facts.pipeline(pipelineId(2), { connection: one });
  for (const record of facts.records) replica.apply(record);
  expect(timeline.at(9)).toBeUndefined();
  expect(timeline.at(8)).toBe(held);
  expect(timeline.at(5)).toBeUndefined();
});
