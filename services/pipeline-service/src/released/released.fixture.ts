import type { ConfigurationFact, RecordedFact } from '@penstock/contracts';

/** Ids and times are texts in a text. */
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
 * A fact as it was published, and the state of its object that it led to then. That it can be written down says that no
 * member was lost or renamed since, and that every newer one is optional.
 */
export interface Released<Fact extends ConfigurationFact> {
  readonly fact: Written<Fact>;
  readonly state: object;
}
