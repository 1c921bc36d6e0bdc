import type { ConnectionId } from '@penstock/contracts';
import { pipelineState } from '../testing/pipelines.fixture';
import { audienceOf } from './audience-of';
import { compilePipeline } from './compiled-pipeline';
import type { LaneRoutes } from './lane-routes';
import { DESTINATIONS, pipelineId, SOURCES } from './routing.fixture';
import { SourceRoutes } from './source-routes';

const [first, second] = SOURCES as [ConnectionId, ConnectionId];
const [one, two, three] = DESTINATIONS as [ConnectionId, ConnectionId, ConnectionId];

const laneOf = (lane: ConnectionId, enabled: number[], disabled: number[] = []): LaneRoutes => ({
  lane,
  workspace: pipelineState().workspace,
  connector: 'webhook',
  label: 'Webhook',
  pipelines: enabled.map((index) => compilePipeline(pipelineState({ id: pipelineId(index) }))),
  disabled: disabled.map(pipelineId),
});

const routes = new SourceRoutes(first, [
  laneOf(two, [3], [4]),
  laneOf(one, [1, 5], [2]),
  laneOf(three, [6]),
]);

const NONE: ReadonlySet<ConnectionId> = new Set();

const ids = (...indices: readonly number[]) => indices.map(pipelineId);

it('has the pipelines of all lanes, sorted', () => {
  expect(audienceOf(routes, NONE)).toMatchObject({
    enabled: ids(1, 3, 5, 6),
    disabled: ids(2, 4),
  });
});

it('excludes lanes, or has one lane only', () => {
  expect(audienceOf(routes, new Set([one]))).toMatchObject({
    enabled: ids(3, 6),
    disabled: ids(4),
  });
  expect(audienceOf(routes, new Set([one]), new Set([three]))).toMatchObject({
    enabled: ids(3),
    disabled: ids(4),
  });
  expect(audienceOf(routes, one)).toMatchObject({ enabled: ids(1, 5), disabled: ids(2) });
  expect(audienceOf(routes, 'another' as ConnectionId)).toMatchObject({
    enabled: [],
    disabled: [],
  });
});

it('has an id computed from its members', () => {
  const same = new SourceRoutes(second, [laneOf(three, [5, 1], [2])]);
  const { id } = audienceOf(routes, one);
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(audienceOf(same, NONE).id).toBe(id);
  expect(audienceOf(routes, new Set([two, three])).id).toBe(id);
});

it('has another id when a pipeline differs or is disabled', () => {
  const of = (enabled: number[], disabled: number[] = []) =>
    audienceOf(new SourceRoutes(first, [laneOf(one, enabled, disabled)]), NONE).id;
  const all = [
    of([]),
    of([1]),
    of([], [1]),
    of([1, 2]),
    of([1], [2]),
    of([2], [1]),
    of([], [1, 2]),
  ];
  expect(new Set(all).size).toBe(all.length);
});

it('is cached for the same lanes', () => {
  const [excluded, also] = [new Set([one]), new Set([two])];
  expect(audienceOf(routes, excluded)).toBe(audienceOf(routes, excluded));
  expect(audienceOf(routes, excluded, also)).toBe(audienceOf(routes, excluded, also));
  expect(audienceOf(routes, excluded, also)).not.toBe(audienceOf(routes, excluded));
  expect(audienceOf(routes, one)).toBe(audienceOf(routes, one));
});
