/** Maximal records of a slice, since `maxBytes` does not bound tombstones and empty texts. */
export const MAX_SLICE_RECORDS = 10_000;

/** Time-out of reading a slice. */
export const READ_TIMEOUT_MS = 5_000;

/** @throws RangeError when the topic has no such partition. */
export const checkPartition = (topic: string, partitions: number, partition: number): void => {
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions)
    throw new RangeError(`topic ${topic} has no partition ${partition}`);
};

/** @throws RangeError when it is not a whole number of 0 or more. */
export const checkOffset = (offset: number): void => {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new RangeError(`${offset} is not an offset`);
};
