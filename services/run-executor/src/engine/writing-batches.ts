interface Writing {
  readonly ids: ReadonlySet<string>;
  readonly ended: Promise<void>;
}

const NOTHING: Writing = { ids: new Set(), ended: Promise.resolve() };

/** The batches that are being written while the next one is prepared: two at most, merged and settled in their order. */
export class WritingBatches {
  /** That which is merged first. */
  private first = NOTHING;
  /** That which is staged meanwhile. */
  private second = NOTHING;

  /**
   * Begins to write a batch once there are no two others.
   *
   * @param ids of its records.
   * @param write must settle nothing before what it is given has resolved.
   * @throws what writing one before has failed with.
   */
  async begin(
    ids: ReadonlySet<string>,
    write: (before: Promise<void>) => Promise<void>,
  ): Promise<void> {
    await this.first.ended;
    this.first = this.second;
    this.second = { ids, ended: write(this.first.ended) };
    // Whoever waits for it next is told.
    this.second.ended.catch(() => undefined);
  }

  /** Resolves when none of these ids is being written: what is settled of it is not known before. */
  async without(ids: readonly string[]): Promise<void> {
    for (const writing of [this.first, this.second])
      if (ids.some((id) => writing.ids.has(id))) await writing.ended;
  }

  /** The answer. @throws what writing fails with, if that comes first. */
  unlessFailed<T>(answer: Promise<T>): Promise<T> {
    return Promise.race([answer, this.ended().then(() => answer)]);
  }

  /** Resolves when nothing is being written. @throws what the first of them has failed with. */
  async ended(): Promise<void> {
    const { first, second } = this;
    await first.ended;
    await second.ended;
  }
}
