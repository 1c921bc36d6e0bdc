import type {
  ConnectionId,
  JoinedBy,
  Microtime,
  PipelineId,
  ProfileFact,
  ProfileSchema,
} from '@penstock/contracts';
import type { Filter } from '@penstock/filters';
import type { RecordValue, Schema } from '@penstock/schema';

/** A profile as a warehouse has it. */
export interface StoredProfile {
  readonly id: string;
  readonly createdAt: Microtime;
  readonly updatedAt: Microtime;
  /** Without what it does not have, and without objects of which nothing is there. */
  readonly attributes: RecordValue;
}

/** Of which properties profiles are read. */
export interface PropertiesWanted {
  /** The schema that the profiles of the warehouse have. */
  readonly profiles: ProfileSchema;
  /** The wanted part of it; may be without any property. */
  readonly properties: Schema;
}

/** Which profile is wanted. */
export interface ProfileWanted extends PropertiesWanted {
  /** A UUID: that of a profile, or one that was merged into another. */
  readonly id: string;
}

/** By what profiles are listed. Those without a value are the last ones in both directions; equal ones go by their ids. */
export interface ProfileOrder {
  /** Path of a property without others in it, whose values have an order; `null`: the time of the update. */
  readonly path: string | null;
  readonly isDescending: boolean;
}

/** Where a profile stands in a list by one order. */
export type ProfilePlace = string;

/** Which profiles are wanted. */
export interface ProfilesWanted extends PropertiesWanted {
  /** By the schema that the profiles have, without properties of kind json; `null`: all profiles. */
  readonly filter: Filter | null;
  readonly order: ProfileOrder;
  /** 1 or more. */
  readonly limit: number;
  /** In a list with the same order and filter. Absent: from the first one on. */
  readonly after?: ProfilePlace | undefined;
  /** Whether to count all that match, which takes in each of them. */
  readonly isCounted: boolean;
}

/** Some of the profiles of a list. */
export interface ProfilesPage {
  /** As many as wanted, or fewer where they are large; one at least, unless there are none. */
  readonly profiles: readonly (StoredProfile & { readonly place: ProfilePlace })[];
  /** Whether no others follow. */
  readonly isLast: boolean;
  /** All that match, on every page; `null` when they are not counted. */
  readonly total: number | null;
}

/** How all profiles are read. */
export interface ScanWanted extends PropertiesWanted {
  /** By the wanted properties, without those of kind json; `null`: all match. */
  readonly filter: Filter | null;
}

/** Which profiles are read by their ids. */
export interface ScanPageWanted extends ScanWanted {
  /** 1 or more. */
  readonly limit: number;
  /** The id of the one before; absent: from the first one on. */
  readonly after?: string | undefined;
}

/** A profile as it is read with all others. */
export interface ScannedProfile {
  readonly id: string;
  /** `null`: it does not match. */
  readonly attributes: RecordValue | null;
}

/** Some of the profiles in the order of their ids. */
export interface ScanPage {
  /** As many as wanted, or fewer where they are large; one at least, unless there are none. */
  readonly profiles: readonly ScannedProfile[];
  /** Whether no others follow. */
  readonly isLast: boolean;
}

/** By how many of their first characters texts are ordered, so that a place in a list stays short. */
export const ORDERED_CHARACTERS = 128;

/** An identity that is joined with another one. */
export interface LinkedIdentity {
  readonly connection: ConnectionId;
  readonly pipeline: PipelineId;
  readonly recordId: string;
  readonly anonymous: boolean;
}

/** What identities have in common, so that each of them is joined directly with another one. */
export interface ProfileLink {
  readonly rule: JoinedBy['rule'];
  /** Path of the identifier by which rule `d` joins; else `null`. */
  readonly identifier: string | null;
  /** The record id, or the value of the identifier; `null` when it is longer than 2,000 bytes. */
  readonly value: string | null;
  /** Those that were made first, at most {@link MAX_LINKED}. */
  readonly identities: readonly LinkedIdentity[];
  /** How many there are. */
  readonly count: number;
  readonly place: string;
}

/** How many identities of a link are read. */
export const MAX_LINKED = 100;

/** Which links are wanted. */
export interface LinksWanted {
  /** Id of the profile. */
  readonly profile: string;
  /** Paths, in order of priority, by which the profile was resolved. */
  readonly identifiers: readonly string[];
  /** 1 or more. */
  readonly limit: number;
  /** Absent: from the first one on. */
  readonly after?: string | undefined;
}

/** Some of the links of a profile, by their rules. */
export interface LinksPage {
  /** As many as wanted, or fewer where they are large; one at least, unless there are none. */
  readonly links: readonly ProfileLink[];
  /** Whether no others follow. */
  readonly isLast: boolean;
}

/** What has happened to a profile. */
export interface PastOfProfile {
  readonly at: Microtime;
  /** Of other profiles it names the first 100; to one that was absorbed or split off, none but the one that stays. */
  readonly fact: ProfileFact;
  readonly place: string;
}

/** Which history is wanted. */
export interface HistoryWanted {
  /** Id of a profile; it may be gone. */
  readonly profile: string;
  /** 1 or more. */
  readonly limit: number;
  /** Absent: from the first one on. */
  readonly after?: string | undefined;
}

/** A part of what has happened to a profile, in that order. */
export interface HistoryPage {
  /** As many as wanted, or fewer where they are large; one at least, unless there are none. */
  readonly past: readonly PastOfProfile[];
  /** Whether nothing follows. */
  readonly isLast: boolean;
}
