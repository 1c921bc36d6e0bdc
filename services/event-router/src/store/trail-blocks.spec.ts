import { attemptRecord, outcomeRecord } from './contract/changes.fixture';
import { blockOf, blocksOf } from './trail-blocks';

it.each([
  [-1, -1],
  [0, 0],
  [63, 0],
  [64, 1],
  [1e12, 15_625_000_000],
])('offset %d is in block %d', (offset, block) => {
  expect(blockOf(offset)).toBe(block);
});

it('names the block of each ending and failed attempt once', () => {
  const outcomes = [0, 1, 63, 64].map((offset) => outcomeRecord({ offset }));
  const attempts = [70, 640].map((offset) => attemptRecord({ offset }));
  expect(blocksOf({ outcomes, attempts })).toEqual([0, 1, 10]);
  expect(blocksOf({ outcomes: [], attempts: [] })).toEqual([]);
});
