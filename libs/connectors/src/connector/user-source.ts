import type { RecordValue, Schema } from '@penstock/schema';
import type { CallContext } from './call-context';
import type { Settings } from './connector';
import type { Outcome, RequestLimits } from './event-destination';

/** Result of a read from an application. `rejected`: a retry would fail as well; `unavailable`: it may succeed. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | Exclude<Outcome, { kind: 'delivered' }>;

/** A user as the application has it. */
export interface ApplicationUser {
  /** Of no other user of the application. */
  readonly id: string;
  /** When it was last changed there, a canonical datetime; `null` where the application does not report it. */
  readonly updatedAt: string | null;
  /** A record of the requested schema. */
  readonly values: RecordValue;
  /**
   * Why the user cannot be used: names properties whose values are not of the requested schema, and which
   * {@link values} therefore lacks. Repeats no value. Absent: all is well.
   */
  readonly fault?: string;
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
  /** How often it may be called. `ofChanges`: for users that were changed since a time. */
  limits(settings: Settings, ofChanges: boolean): RequestLimits;
  /** The present schema of its users. */
  schema(settings: Settings, context: CallContext): Promise<Answer<Schema>>;
  /**
   * A page of users. The same cursor gives the same page, or a later state of it; whoever was there all the time is
   * on one page at least; only the last page may be empty.
   */
  read(query: UserQuery, settings: Settings, context: CallContext): Promise<Answer<UserPage>>;
}
