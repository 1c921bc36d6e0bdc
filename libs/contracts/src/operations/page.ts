import type { WorkspaceId } from '../ids';

/** Where a list goes on; opaque to clients. */
export interface Page {
  /** 1 to 1,000. */
  readonly limit: number;
  /** Empty: from the start. */
  readonly cursor: string;
}

/** Which objects of a list are wanted. */
export interface Search {
  /** What their names hold, in upper or lower case. Absent: all. */
  readonly search?: string;
}

/** What a request about the organization may see of it: everything, or what belongs to one workspace. */
export interface Within {
  readonly within: WorkspaceId | null;
}
