import { sharedOut } from './shared-out';

const THREE = [
  { earlier: 3, again: 0 },
  { earlier: 2, again: 4 },
  { earlier: 0, again: 1 },
];

it.each([
  ['none', 0, [0, 0, 0], 0],
  ['some of those of an earlier reading', 4, [3, 1, 0], 0],
  ['all of those of an earlier reading', 5, [3, 2, 0], 0],
  ['more, of those that were told again', 8, [3, 5, 0], 0],
  ['as many as there is room for', 10, [3, 6, 1], 0],
  ['more than that', 12, [3, 6, 1], 2],
])('shares out %s', (_, records, known, left) => {
  expect(sharedOut(THREE, records)).toEqual({ known, left });
});
