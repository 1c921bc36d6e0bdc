import type { RecordValue, Schema } from '@penstock/schema';
import type { CallContext } from './call-context';
import type { Settings } from './connector';
import type { Outcome } from './event-destination';

/** Result of a read from an application. `rejected`: a retry would fail as well; `unavailable`: it may succeed. */
export type Answer<T> =
  { readonly kind: 'answered'; readonly value: T } | Exclude<Outcome, { kind: 'delivered' }>;

/** A user as the application has it. */
export interface ApplicationUser {
  /** Of no other user of the application. */
  readonly id: string;
  /** When it was last changed there, a canonical datetime; `null` where the application does not report it. */
  readonly updatedAt: string | null;
  /** A record of the requested schema. */
  readonly values: RecordValue;
}

/** Some users of an application, in its order. */
export interface UserPage {
  readonly users: readonly ApplicationUser[];
  /** Where the next page begins; `null`: this was the last. */
  readonly next: string | null;
  /** Users on all pages of the query; absent: the application does not say. */
  readonly total?: number;
}

/** Which users of an application are read, and what of each. */
export interface UserQuery {
  /** What is wanted of each user: a part of the source schema. */
  readonly schema: Schema;
  /**
   * Only users that were changed then or later, a canonical datetime; `null`: all. Only for a source that reads
   * changes.
   */
  readonly changedSince: string | null;
  /** What a page gave as `next`; `''`: from the start. */
  readonly cursor: string;
}

/** What an application whose users can be read must be able to do. */
export interface UserSource {
  /** Whether it can list the users changed since a given time. */
  readonly readsChanges: boolean;
  /** The present schema of its users. */
  schema(settings: Settings, context: CallContext): Promise<Answer<Schema>>;
  /**
   * A page of users. The same cursor gives the same page, or a later state of it; whoever was there all the time is
   * on one page at least; only the last page may be empty.
   */
  read(query: UserQuery, settings: Settings, context: CallContext): Promise<Answer<UserPage>>;
}

/** What an application must be able to do whose users can be written. */
export interface UserDestination {
  /** The present schema of what may be written of a user. */
  schema(settings: Settings, context: CallContext): Promise<Answer<Schema>>;
}
