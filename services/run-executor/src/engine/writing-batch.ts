/** The batch that is being written while the next one is prepared: one at a time, in their order. */
export class WritingBatch {
  private ids: ReadonlySet<string> = new Set();
  private writing: Promise<void> = Promise.resolve();

  /**
   * Begins to write a batch once the one before it is written.
   *
   * @param ids of its records.
   * @throws what writing the one before has failed with.
   */
  async begin(ids: ReadonlySet<string>, write: () => Promise<void>): Promise<void> {
    await this.writing;
    this.ids = ids;
    this.writing = write();
    // Whoever waits for it next is told.
    this.writing.catch(() => undefined);
  }

  /** Resolves when none of these ids is being written: what is settled of it is not known before. */
  async without(ids: readonly string[]): Promise<void> {
    if (ids.some((id) => this.ids.has(id))) await this.writing;
  }

  /** The answer. @throws what writing fails with, if that comes first. */
  unlessFailed<T>(answer: Promise<T>): Promise<T> {
    return Promise.race([answer, this.writing.then(() => answer)]);
  }

  /** Resolves when nothing is being written. @throws what writing has failed with. */
  ended(): Promise<void> {
    return this.writing;
  }
}
