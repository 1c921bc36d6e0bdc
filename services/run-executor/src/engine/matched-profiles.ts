import { createHash } from 'node:crypto';
import type { RunStep } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { MatchWriter } from '@penstock/warehouses';
import { decideMatch, MAX_DUPLICATES, type MatchRules } from './decide-match';
import type { Patience } from './patience';
import type { RecordFault, SourceRecord } from './record-source';
import { atWarehouse } from './run-performance';
import type { Steps } from './steps';
import type { Tally } from './tally';
import type { MatchingValue, OpenedApplication } from './user-application';
import type { UserLedger, ValueOwner } from './user-ledger';

/** The value by which a profile is matched; `null`: it has none. */
export type MatchingOf = (profile: RecordValue) => MatchingValue | RecordFault | null;

/** What profiles are matched with. */
export interface MatchingParts {
  /** Whether values of profiles conform to what is read of them. */
  readonly check: Steps;
  readonly matchingOf: MatchingOf;
  readonly rules: MatchRules;
  readonly ledger: UserLedger;
  /** Users of the application, where all were read. */
  readonly matches: MatchWriter;
  readonly patience: Patience;
}

/** A profile with the users that it is sent to. */
export interface MatchedProfile {
  readonly id: string;
  readonly values: RecordValue;
  readonly matching: MatchingValue;
  /** Ids of users that are changed; none: one is created. */
  readonly users: readonly string[];
  /** Whether one may have been created already. */
  readonly mayBeCreated: boolean;
}

interface ValuedProfile {
  readonly id: string;
  readonly values: RecordValue;
  readonly matching: MatchingValue;
}

const SEVERAL_PROFILES: RecordFault = {
  code: 'Ambiguous',
  message: 'another profile has the same matching value',
};

const SEVERAL_USERS: RecordFault = {
  code: 'Ambiguous',
  message: 'several users of the application have the matching value',
};

/** The hash by which a value is known in the store. */
export const keyOf = ({ text }: MatchingValue): Buffer =>
  createHash('sha256').update(text).digest();

/** Counts and explains a record that has failed. */
export const failRecord = (
  tally: Tally,
  step: RunStep,
  fault: RecordFault | null,
  id: string,
): void => {
  tally.count(step);
  if (fault !== null) tally.explain(step, fault, id);
};

/** Finds out which profiles are sent, and to which users. */
export class MatchedProfiles {
  constructor(
    private readonly application: OpenedApplication,
    private readonly parts: MatchingParts,
    private readonly signal: AbortSignal,
  ) {}

  /** The profiles of a batch that are sent; the others are counted. */
  async match(records: readonly SourceRecord[], tally: Tally): Promise<readonly MatchedProfile[]> {
    const valued = await this.valued(records, tally);
    const own = await this.withOwnValues(valued, tally);
    const users = await this.usersOf(own.map(({ profile }) => profile.matching));
    return own.flatMap(({ profile, mayBeCreated }): MatchedProfile[] => {
      const ids = users.get(profile.matching.text) ?? [];
      const decision = decideMatch(ids.length, mayBeCreated, this.parts.rules);
      switch (decision) {
        case 'create':
        case 'update':
          return [{ ...profile, users: ids, mayBeCreated }];
        case 'left out':
          tally.count('Filter');
          return [];
        case 'created before':
          tally.count('Merged');
          return [];
        case 'ambiguous':
          failRecord(tally, 'InputValidation', SEVERAL_USERS, profile.id);
          return [];
      }
    });
  }

  /** The profiles that conform and have a value. */
  private async valued(
    records: readonly SourceRecord[],
    tally: Tally,
  ): Promise<readonly ValuedProfile[]> {
    const { check, matchingOf } = this.parts;
    const read = records.filter(({ isLeftOut }) => isLeftOut !== true);
    for (let left = records.length - read.length; left > 0; left -= 1) tally.count('Filter');
    const results = await check.apply(
      read.map(({ values }) => values),
      this.signal,
    );
    return read.flatMap(({ id }, index): ValuedProfile[] => {
      const result = results[index];
      if (id === null || result === undefined) throw new TypeError('a profile without a result');
      if (!('values' in result)) {
        failRecord(tally, result.step, result.fault, id);
        return [];
      }
      const matching = matchingOf(result.values);
      if (matching === null) tally.count('Filter');
      else if ('text' in matching) return [{ id, values: result.values, matching }];
      else failRecord(tally, 'InputValidation', matching, id);
      return [];
    });
  }

  /** Those whose value no other profile of the run has. */
  private async withOwnValues(profiles: readonly ValuedProfile[], tally: Tally) {
    const { ledger, patience } = this.parts;
    if (profiles.length === 0) return [];
    const values = profiles.map(({ id, matching }) => ({ key: keyOf(matching), profile: id }));
    const owners = await patience.insist('Finalize', () => ledger.registerValues(values));
    return profiles.flatMap((profile, index) => {
      const { profile: owner, mayBeCreated }: ValueOwner = owners[index] ?? {
        ...{ profile: null, mayBeCreated: false },
      };
      if (owner === profile.id) return [{ profile, mayBeCreated }];
      failRecord(tally, 'InputValidation', SEVERAL_PROFILES, profile.id);
      return [];
    });
  }

  /** Ids of users by the texts of their values. */
  private async usersOf(
    values: readonly MatchingValue[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const users = new Map<string, string[]>();
    if (values.length === 0) return users;
    for (const { id, text } of await this.found(values)) {
      const ids = users.get(text);
      if (ids === undefined) users.set(text, [id]);
      else if (ids.length <= MAX_DUPLICATES && !ids.includes(id)) ids.push(id);
    }
    return users;
  }

  private found(values: readonly MatchingValue[]) {
    const { application, signal } = this;
    const { matches, patience, rules } = this.parts;
    if (application.isLookedUp)
      return patience.insist('Finalize', () => application.find(values, signal));
    const limit = rules.updateOnDuplicates ? MAX_DUPLICATES + 1 : 2;
    return patience.insist('Finalize', async () => {
      const texts = values.map(({ text }) => text);
      const found = await atWarehouse(() => matches.find(texts, limit));
      return found.map(({ externalId: id, value: text }) => ({ id, text }));
    });
  }
}
