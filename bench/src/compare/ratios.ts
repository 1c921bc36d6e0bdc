import { median } from '../percentile';
import type { Measurement } from '../router/figures';
import { cells, heading, print } from '../table';

const valuesOf = (measured: readonly Measurement[], name: string, figure: string): number[] =>
  measured.flatMap((each) => {
    const value = each.case === name ? each.figures[figure] : undefined;
    return value === undefined ? [] : [value];
  });

const ratioOf = (own: number, other: number): number => (own === other ? 1 : own / other);

/** The lowest and the highest ratio of all rounds. */
const spread = (own: readonly number[], other: readonly number[]): string => {
  const ratios = own.map((value, round) => ratioOf(value, other[round] ?? Number.NaN));
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
};

/** Prints, for each figure of each case, the medians of both checkouts and their ratio. */
export const printRatios = (
  ref: string,
  other: readonly Measurement[],
  own: readonly Measurement[],
): void => {
  for (const name of new Set(own.map((each) => each.case))) {
    print();
    print(heading(name, ref, 'here', 'here of the other', 'by round'));
    const figures = new Set(
      own.flatMap((each) => (each.case === name ? Object.keys(each.figures) : [])),
    );
    for (const figure of figures) {
      const [before, after] = [valuesOf(other, name, figure), valuesOf(own, name, figure)];
      const [one, two] = [median(before), median(after)];
      print(cells(figure, one, two, ratioOf(two, one).toFixed(2), spread(after, before)));
    }
  }
};
