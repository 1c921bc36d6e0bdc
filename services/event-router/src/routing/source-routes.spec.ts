import type { ConnectionId, Integrations } from '@penstock/contracts';
import { newRecord, type RecordValue } from '@penstock/schema';
import { onlyEvent, pipelineState } from '../testing/pipelines.fixture';
import { type CompiledPipeline, compilePipeline } from './compiled-pipeline';
import type { LaneRoutes } from './lane-routes';
import { DESTINATIONS, pipelineId, SOURCES } from './routing.fixture';
import { SourceRoutes } from './source-routes';

const [source] = SOURCES as [ConnectionId];
const [one, two] = DESTINATIONS as [ConnectionId, ConnectionId];

let evaluated = 0;
beforeEach(() => (evaluated = 0));

const counted = (pipeline: CompiledPipeline): CompiledPipeline => ({
  ...pipeline,
  matches: (event) => {
    evaluated += 1;
    return pipeline.matches(event);
  },
});

const pipeline = (index: number, filter: string | null = null): CompiledPipeline =>
  counted(compilePipeline(pipelineState({ id: pipelineId(index), filter })));

const laneOf = (lane: ConnectionId, ...pipelines: readonly CompiledPipeline[]): LaneRoutes => ({
  lane,
  workspace: pipelineState().workspace,
  connector: `connector-of-${lane}`,
  label: `Label of ${lane}`,
  pipelines,
  disabled: [],
});

const track = (event: string): RecordValue => Object.assign(newRecord(), { type: 'track', event });

const matched = (
  routes: SourceRoutes,
  event: RecordValue,
  integrations: Integrations | null = null,
  isWanted?: Parameters<SourceRoutes['match']>[2],
): string[] =>
  routes
    .match({ integrations }, event, isWanted)
    .map(({ lane, pipeline: { state } }) => `${lane} ${String(Number(state.id.slice(8)))}`);

describe('matching', () => {
  const routes = new SourceRoutes(source, [
    laneOf(two, pipeline(1), pipeline(2, onlyEvent('a'))),
    laneOf(one, pipeline(3, onlyEvent('b')), pipeline(4, onlyEvent('a'))),
  ]);

  it('is ordered by lane, then by pipeline', () => {
    expect(matched(routes, track('a'))).toEqual([`${two} 1`, `${two} 2`, `${one} 4`]);
    expect(matched(routes, track('b'))).toEqual([`${two} 1`, `${one} 3`]);
    expect(matched(routes, track('c'))).toEqual([`${two} 1`]);
  });

  it('evaluates no filter of a lane that is excluded or that the event opts out of', () => {
    expect(matched(routes, track('a'), null, (lane) => lane === one)).toEqual([`${one} 4`]);
    expect(evaluated).toBe(1);
    expect(matched(routes, track('a'), { [two]: false })).toEqual([`${one} 4`]);
    expect(evaluated).toBe(2);
    expect(matched(routes, track('a'), { All: false })).toEqual([]);
    expect(evaluated).toBe(2);
  });

  it('finds nothing without lanes', () => {
    expect(matched(new SourceRoutes(source, []), track('a'), { All: false })).toEqual([]);
  });
});

describe('a thousand pipelines on other events', () => {
  const others = (count: number): LaneRoutes[] =>
    Array.from({ length: count / 10 }, (_, lane) =>
      laneOf(
        `lane${String(lane).padStart(11, '0')}` as ConnectionId,
        ...Array.from({ length: 10 }, (__, index) => {
          const number = lane * 10 + index;
          return pipeline(number, onlyEvent(`Event ${String(number)}`));
        }),
      ),
    );

  it.each([10, 1_000])('evaluates, of %d filters, only those that name the event', (count) => {
    const routes = new SourceRoutes(source, others(count));
    for (let index = 0; index < 100; index += 1) matched(routes, track('Another'));
    expect(evaluated).toBe(0);
    expect(matched(routes, track('Event 7'))).toHaveLength(1);
    expect(evaluated).toBe(1);
  });
});

describe('opting out', () => {
  const routes = new SourceRoutes(source, [laneOf(one, pipeline(1)), laneOf(two, pipeline(2))]);

  it('returns the lanes, as the same set for equal integrations', () => {
    expect([...routes.optedOut(null)]).toEqual([]);
    expect([...routes.optedOut({ [one]: false })]).toEqual([one]);
    expect([...routes.optedOut({ All: false, [`Label of ${one}`]: true })]).toEqual([two]);
    expect(routes.optedOut({ [one]: false })).toBe(routes.optedOut({ [one]: false }));
    expect(routes.optedOut({ [one]: false, x: true })).toBe(routes.optedOut({ [one]: false }));
    expect(routes.optedOut({ other: false })).toBe(routes.optedOut(null));
  });

  it('works when every event has other integrations', () => {
    for (let index = 0; index < 3_000; index += 1)
      expect([...routes.optedOut({ [one]: false, [`n${String(index)}`]: true })]).toEqual([one]);
  });
});
