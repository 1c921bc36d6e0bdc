import type { RunLedger, TakenKey } from './run-ledger';

/** Which profile of a run has a value. */
export interface ValueOwner {
  /** `null`: several have it. */
  readonly profile: string | null;
  /** Whether a batch that was never settled may have created its user. */
  readonly mayBeCreated: boolean;
}

/** The ledger of an export to an application. */
export interface UserLedger extends RunLedger {
  /**
   * Records which profiles have which values, for the whole run.
   *
   * @returns for each of them, in their order, who has the value by now.
   */
  registerValues(values: readonly TakenKey[]): Promise<readonly ValueOwner[]>;
  /**
   * Records that users with these values are about to be created in a batch. Called before every batch is sent, it also tells
   * whether the claim holds.
   *
   * @param keys of values that were registered.
   */
  markCreated(batch: number, keys: readonly Buffer[]): Promise<void>;
}
