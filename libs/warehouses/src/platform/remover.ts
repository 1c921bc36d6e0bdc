/** What one piece of a removal has come to. */
export interface RemovedPiece {
  /** Deleted, or changed. */
  readonly identities: number;
  /** Whether nothing was left when it was done. */
  readonly isLast: boolean;
}

/**
 * Removes from one warehouse what a deleted pipeline has written, or one that was updated writes no more. It rejects with
 * `WarehouseFault`, as the methods of `IdentityWriter` do. What was done is done; it may be repeated, also by another remover
 * of the pipeline.
 */
export interface Remover {
  /**
   * Deletes at most 10,000 identities of the pipeline in one transaction, and marks them for the next resolution. Of a
   * pipeline that was not deleted: clears the properties in those of at most 10,000 identities that have one, so that
   * whatever is written of it later is taken, however old that is.
   *
   * @param before called when there is something, and nobody waits for this piece yet. When it rejects, nothing is changed.
   * Nor is, of a pipeline that was not deleted, an identity of which such a property was written since: it is looked at once
   * more.
   */
  remove(before: () => Promise<void>): Promise<RemovedPiece>;
}
