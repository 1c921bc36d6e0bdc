import type { ConnectionId } from '@penstock/contracts';

/** The most identities of a profile that is erased: one of more is a mistake of the identifiers, and no person. */
export const MAX_ERASED = 50_000;

/** Who is erased, and what for. */
export interface Erasure {
  /** Names the erasure: whatever is repeated under the same id goes on with it. */
  readonly id: string;
  /** The profile; one that was absorbed stands for its survivor. */
  readonly profile: string;
}

/** What was known of a person: an identity, or an anonymous id that is the person's though nothing else is known of it. */
export interface ErasedRecord {
  readonly connection: ConnectionId;
  readonly anonymous: boolean;
  readonly recordId: string;
}

/** What an erasure has deleted so far. */
export interface ErasedCounts {
  /** Profiles: one, or none where there was none. */
  readonly profiles: number;
  readonly identities: number;
  /** Entries of the history of the profile, and of those that it had absorbed. */
  readonly history: number;
  readonly events: number;
}

/** What one piece of an erasure has come to. */
export interface ErasedPiece {
  readonly counts: ErasedCounts;
  /** Whether nothing of the person is left. */
  readonly isLast: boolean;
}

/**
 * Erases a person from one warehouse: {@link take}, then {@link eraseEvents} until it was the last. Every method rejects with
 * `WarehouseFault`, as those of `Resolver` do. What was done is done; every method may be repeated, also by another eraser of
 * the erasure.
 */
export interface Eraser {
  /**
   * Deletes the profile with all of its identities, in one transaction, and keeps what they were known by from being written
   * again, as a hash. Changes nothing when it was done before.
   *
   * @returns whether it was done: not, where the profile has more than {@link MAX_ERASED} identities.
   */
  take(signal: AbortSignal): Promise<boolean>;
  /** What the person was known by, as far as events may be left: those that {@link eraseEvents} erases next; empty: none. */
  next(): Promise<readonly ErasedRecord[]>;
  /** Deletes events of {@link next}, in one transaction of a limited size. */
  eraseEvents(signal: AbortSignal): Promise<ErasedPiece>;
}
