import type { ProfileColumn } from '../columns/profile-columns';
import type { LeftOut } from '../erasing/left-out';
import type { Guarded } from '../layout/guard';

/** What a writer needs of the warehouse. */
export interface WritingPlace extends Guarded {
  readonly leftOut: LeftOut;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
}

/** What a writer of identities needs of the warehouse. */
export interface IdentityPlace extends WritingPlace {
  readonly columns: readonly ProfileColumn[];
}
