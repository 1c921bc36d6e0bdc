import type { ProfileFact, WorkspaceId } from '@penstock/contracts';
import { newRecord, type RecordValue, type Value } from '@penstock/schema';
import { profileId } from './profiles.fixture';
import type { ReaderOptions, WarehouseReader } from './warehouse-reader';

/** A profile to be put in. */
export interface PutProfile {
  readonly id: string;
  /** ISO 8601, with at most six digits of a second. */
  readonly updatedAt: string;
  readonly attributes: RecordValue;
}

/** An identity to be put in, numbered behind those before it. */
export interface PutIdentity {
  readonly connection: string;
  readonly recordId: string;
  readonly updatedAt: string;
  readonly anonymous?: boolean;
  readonly anonymousIds?: readonly string[];
  readonly profile?: string;
}

/** An event to be put in. */
export interface PutEvent {
  readonly event: RecordValue;
  readonly profile?: string | undefined;
}

/** What was told of a profile. */
export interface PutPast {
  readonly profile: string;
  readonly number: number;
  readonly at: string;
  readonly fact: ProfileFact;
}

/** What resolutions have left. */
export interface PutResolved {
  readonly facts: readonly ProfileFact[];
  /** Numbers of identities, with the profiles that they were in. */
  readonly unresolved: readonly (readonly [identity: number, profile: string | null])[];
}

/** A row of what an identity can be joined by. */
export interface PutKey {
  readonly identity: string;
  readonly kind: string;
  readonly key: string;
  readonly mask: number;
}

/** A warehouse whose profiles have the schema of `profiles.fixture`, and a look behind its readers. */
export interface ReadStage {
  /** A reader for as long as the stage. */
  reader(options?: Partial<ReaderOptions>): Promise<WarehouseReader>;
  /** Leaves nothing but the marker, as it was. */
  empty(): Promise<void>;
  putProfiles(profiles: readonly PutProfile[]): Promise<void>;
  putAliases(aliases: readonly (readonly [alias: string, profile: string])[]): Promise<void>;
  putIdentities(identities: readonly PutIdentity[]): Promise<void>;
  putEvents(events: readonly PutEvent[]): Promise<void>;
  putKeys(keys: readonly PutKey[]): Promise<void>;
  putHistory(past: readonly PutPast[]): Promise<void>;
  putResolved(resolved: PutResolved): Promise<void>;
  /** Deletes profiles. */
  takeProfiles(ids: readonly string[]): Promise<void>;
  mark(marker: {
    readonly workspace?: WorkspaceId;
    readonly layout?: number;
    readonly schemaVersion?: number;
  }): Promise<void>;
  /** Keeps readers of earlier epochs out. */
  keepOut(epoch: number): Promise<void>;
}

/** How a platform differs. */
export interface ReadLimits {
  /** Of the fractions of seconds that the stand keeps. */
  readonly fractionDigits: number;
  /** Compares addresses. */
  readonly compareIps: (one: string, other: string) => number;
  /** How often values are drawn. */
  readonly runs: number;
}

/** Moments a microsecond apart. */
export const moment = (number: number): string =>
  `2026-03-01T09:30:00.${String(number).padStart(6, '0')}Z`;

/** Profiles with attributes, the first with {@link profileId} 0, each updated a microsecond after the one before. */
export const profilesOf = (records: readonly RecordValue[], from = 0): readonly PutProfile[] =>
  records.map((attributes, at) => ({
    ...{ id: profileId(from + at), updatedAt: moment(from + at), attributes },
  }));

/** A record of some members of the schema of `profiles.fixture`. */
export const recordWith = (members: Readonly<Record<string, Value>>): RecordValue =>
  Object.assign(newRecord(), members);
