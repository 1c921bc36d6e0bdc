import type { PartitionChanges } from '../../changes';

/** A row with its partition. */
export type OfPartition<Row> = Row & { readonly partition: number };

/** The rows of all changes, each with its partition. */
export const ofPartitions = <Row extends object>(
  changes: readonly PartitionChanges[],
  rowsOf: (changes: PartitionChanges) => readonly Row[],
): OfPartition<Row>[] =>
  changes.flatMap((each) => rowsOf(each).map((row) => ({ ...row, partition: each.partition })));
