import type { OutgoingUser, UpsertResult } from '@penstock/connectors';
import type { RecordValue, Schema, Value } from '@penstock/schema';

/** The value by which a profile is matched with users of an application. */
export interface MatchingValue {
  readonly value: Value;
  /** Its text: the same for equal values. */
  readonly text: string;
}

/** A user that has the value of a profile. */
export interface Match {
  /** The application's id of the user. */
  readonly id: string;
  /** The text of the value. */
  readonly text: string;
}

/** The application whose users an export writes. */
export interface UserApplication {
  /**
   * Compares the schemas of the application with the pipeline.
   *
   * @throws Away, WholeRunError, or the signal's reason.
   */
  open(signal: AbortSignal): Promise<OpenedApplication>;
}

/** An application that takes what the pipeline gives. */
export interface OpenedApplication {
  /** What is read of its users, so that they can be matched. */
  readonly userSchema: Schema;
  /** The text of the value by which a user is matched; undefined when it has none. */
  readonly textOf: (user: RecordValue) => string | undefined;
  /** Whether users are looked up by the values of each batch; else all are read before. */
  readonly isLookedUp: boolean;
  /** Whether it finds users by values at all. */
  readonly canFind: boolean;
  /** Whether it finds repeated requests by their idempotency keys. */
  readonly findsRepetitions: boolean;
  /** Users of one request. */
  readonly maxUsers: number;
  /** Requests that it takes at once. */
  readonly concurrency: number;
  /**
   * The users that have one of the values, where it {@link canFind} them.
   *
   * @throws Away, WholeRunError, or the signal's reason.
   */
  find(values: readonly MatchingValue[], signal: AbortSignal): Promise<readonly Match[]>;
  /**
   * Sends one request, with as many users from the front as it takes. Reasons hold no values.
   *
   * @throws WholeRunError when none can be sent at all, or the signal's reason.
   */
  upsert(users: readonly OutgoingUser[], signal: AbortSignal): Promise<UpsertResult>;
}
