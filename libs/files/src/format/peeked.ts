/** A sequence whose first element is known. */
export interface Peeked<T> {
  /** Undefined when there is none. */
  readonly first: T | undefined;
  /** Everything, the first included; once. */
  readonly all: AsyncIterable<T>;
  /** Ends the sequence wherever it stands; may be called again. */
  readonly close: () => Promise<void>;
}

/** Reads the first element of a sequence. Throws what the sequence does. */
export const peeked = async <T>(sequence: AsyncGenerator<T>): Promise<Peeked<T>> => {
  const next = await sequence.next();
  const first = next.done === true ? undefined : next.value;
  async function* all(): AsyncGenerator<T> {
    if (first !== undefined) yield first;
    yield* sequence;
  }
  return {
    first,
    all: all(),
    close: async () => {
      await sequence.return(undefined);
    },
  };
};
