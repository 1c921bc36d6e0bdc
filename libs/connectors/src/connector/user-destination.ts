import type { RecordValue, Schema, Value } from '@penstock/schema';
import type { CallContext } from './call-context';
import type { Settings } from './connector';
import type { RequestLimits, SendContext } from './event-destination';
import type { Answer } from './user-source';

/** A user on the way to an application. */
export interface OutgoingUser {
  /** The application's id of a user that is to be changed; `null`: a user is to be created. */
  readonly id: string | null;
  /** What is written. A record of the schema of the {@link UserBatch}: what it does not hold stays as it is. */
  readonly values: RecordValue;
  /** The same at every attempt, and of no other write: 1 to 255 printable ASCII characters. */
  readonly idempotencyKey: string;
}

/** Users on the way to an application. */
export interface UserBatch {
  /** Of what is written: a part of the destination schema. */
  readonly schema: Schema;
  /** At least one; none twice. */
  readonly users: readonly OutgoingUser[];
}

/** How one user fared. */
export type UserOutcome =
  /** `id`: the application's, where its answer names it. */
  | { readonly kind: 'written'; readonly id?: string }
  /** The application does not take this user; a retry would fail as well. `status`: of the answer, if it was to this user. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly status?: number };

/**
 * What writing users came to.
 *
 * - `answered`: an outcome for each user that was taken from the front, in order; at least one.
 * - `rejected`, `unavailable`: an error of the whole request; a retry would fail as well, or may succeed. A request that
 *   was rejected for one of its users may succeed with fewer of them.
 */
export type UpsertResult =
  | { readonly kind: 'answered'; readonly outcomes: readonly UserOutcome[] }
  | UpsertFailure;

/** An error of a whole request. */
export interface UpsertFailure {
  readonly kind: 'rejected' | 'unavailable';
  /** Without secrets; without a status it is the connector's own, and names no values. */
  readonly reason: string;
  /** Users from the front that the request carried; at least one. */
  readonly taken: number;
  /** Whether the application has carried the request out, as far as the answer tells. */
  readonly executed: 'no' | 'yes' | 'unknown';
  /** Of the answer, where there was one. */
  readonly status?: number;
  /** The delay that the application requested; at most one hour. */
  readonly retryAfterMs?: number;
  /** Nothing was written, since `mayWrite` of the context returned `false`: not counted as an attempt. */
  readonly notSent?: true;
}

/** How many users an application accepts at a time. */
interface UserLimits extends RequestLimits {
  /** Users that one request may carry, 1 or more. */
  readonly maxUsers: number;
}

/** A user that a look-up has found. */
export interface FoundUser {
  readonly id: string;
  /** The one of the values looked up that the user has; whether case matters is for the application to say. */
  readonly value: Value;
}

/** Finds users by a value, where an application can do that. */
export interface UserLookUp {
  /** Values of one call, 1 or more. */
  readonly maxValues: number;
  /** Paths of the properties of the source schema by which users can be looked up at present. */
  properties(settings: Settings, context: CallContext): Promise<Answer<readonly string[]>>;
  /**
   * Every user that has one of the values, as it stands after all that was written before the call.
   *
   * @param property one of {@link properties}.
   * @param values of the type of the property, none twice.
   */
  find(
    property: string,
    values: readonly Value[],
    settings: Settings,
    context: CallContext,
  ): Promise<Answer<readonly FoundUser[]>>;
}

/** What an application must be able to do whose users can be written. */
export interface UserDestination {
  /** The present schema of what may be written of a user. */
  schema(settings: Settings, context: CallContext): Promise<Answer<Schema>>;
  limits(settings: Settings): UserLimits;
  /** Whether the application finds repeated requests by their idempotency keys: a create may then be repeated. */
  readonly findsRepetitions: boolean;
  /** Absent: users can only be read one after the other. */
  readonly lookUp?: UserLookUp;
  /**
   * Creates and changes users: one request with as many as it takes from the front, in their order. Keeps to the
   * time-out of the context, and calls its `mayWrite` before anything is written.
   */
  upsert(batch: UserBatch, settings: Settings, context: SendContext): Promise<UpsertResult>;
}
