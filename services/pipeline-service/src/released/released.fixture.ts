import type { ConfigurationFact, RecordedFact } from '@penstock/contracts';

/** The type with plain strings in place of ids and times. */
type AsWritten<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly AsWritten<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: AsWritten<T[Name]> }
      : T;

type Written<Fact extends ConfigurationFact> = Fact extends ConfigurationFact
  ? AsWritten<Omit<RecordedFact<Fact>, 'type'>> & { readonly type: Fact['type'] }
  : never;

/**
 * A fact as it was published, with the state after it. It compiles only as long as no member was removed or renamed
 * since, and every newer one is optional.
 */
export interface Released<Fact extends ConfigurationFact> {
  readonly fact: Written<Fact>;
  readonly state: object;
}
