import type { PartitionChanges } from '../../changes';

/** A row with the partition that it is of. */
export type OfPartition<Row> = Row & { readonly partition: number };

/** The rows of all the changes. */
export const ofPartitions = <Row extends object>(
  changes: readonly PartitionChanges[],
  rowsOf: (changes: PartitionChanges) => readonly Row[],
): OfPartition<Row>[] =>
  changes.flatMap((each) => rowsOf(each).map((row) => ({ ...row, partition: each.partition })));
