/** A condition of an append: no record has been appended to another topic that the caller does not know. */
export interface UnlessMoved {
  /** Name of a topic of one partition. */
  readonly topic: string;
  /** The end that the caller knows: the offset after the last record it has applied. */
  readonly end: number;
}

/** The topic that an append depends on has moved past the end that the caller knew: nothing was appended. */
export class TopicMoved extends Error {
  override readonly name = 'TopicMoved';

  /** @param end the present end of the topic. */
  constructor(
    readonly topic: string,
    readonly end: number,
  ) {
    super(`${topic} has moved on to ${end}`);
  }
}
