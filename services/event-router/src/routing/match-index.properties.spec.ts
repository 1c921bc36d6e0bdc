import type { ConnectionId } from '@penstock/contracts';
import fc from 'fast-check';
import { pipelineState } from '../testing/pipelines.fixture';
import { compilePipeline } from './compiled-pipeline';
import { events, type FilterJson, filters } from './filters.fixture';
import type { Match } from './match';
import { MatchIndex } from './match-index';
import { pipelineId } from './routing.fixture';

const LANES = ['destination0001', 'destination0002'] as ConnectionId[];

const matchOf = (filter: FilterJson | null, index: number): Match => ({
  lane: LANES[index % LANES.length] as ConnectionId,
  pipeline: compilePipeline(
    pipelineState({
      id: pipelineId(index),
      filter: filter === null ? null : JSON.stringify(filter),
    }),
  ),
});

const setsOfFilters = fc.array(filters, { maxLength: 12 });
const batches = fc.array(events, { minLength: 1, maxLength: 20 });

it('finds the same matches as evaluating every filter, in the same order', () => {
  let [asked, found] = [0, 0];
  fc.assert(
    fc.property(setsOfFilters, batches, (set, batch) => {
      const matches = set.map(matchOf);
      const index = new MatchIndex(matches);
      for (const event of batch) {
        const isWanted = ({ pipeline }: Match): boolean => {
          asked += 1;
          return pipeline.matches(event);
        };
        const wanted = matches.filter(({ pipeline }) => pipeline.matches(event));
        expect(index.find(event['type'], event['event'], isWanted)).toEqual(wanted);
        found += wanted.length;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(asked).toBeGreaterThan(found);
  expect(found).toBeGreaterThan(1_000);
});
