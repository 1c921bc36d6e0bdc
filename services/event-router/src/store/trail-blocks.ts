import type { PartitionChanges } from './changes';

/** Offsets of a block: what has ended or failed is found by the block of its event. */
const OFFSETS_PER_BLOCK = 64;

/** The block of an offset. */
export const blockOf = (offset: number): number => Math.floor(offset / OFFSETS_PER_BLOCK);

/** The blocks of the events whose deliveries have ended or failed with this commit, each once. */
export const blocksOf = ({
  outcomes,
  attempts,
}: Pick<PartitionChanges, 'outcomes' | 'attempts'>): readonly number[] => {
  const blocks = new Set<number>();
  for (const { offset } of outcomes) blocks.add(blockOf(offset));
  for (const { offset } of attempts) blocks.add(blockOf(offset));
  return [...blocks];
};
