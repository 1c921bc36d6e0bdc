/** A condition of an append: nothing has been appended to another topic that the caller does not know of. */
export interface UnlessMoved {
  /** A topic of one partition. */
  readonly topic: string;
  /** The end that the caller knows: the offset behind the last record it has seen. */
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
