/** What about a topic does not fit. */
export type Unsuitable = 'partitions' | 'retention' | 'replicas' | 'rights';

/**
 * A topic cannot be made, or is not as the process expects it: another number of partitions, another kind of retention,
 * too few brokers for its replicas, or a missing right. The message names the topic.
 */
export class UnsuitableTopic extends Error {
  override readonly name = 'UnsuitableTopic';

  constructor(
    readonly what: Unsuitable,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
