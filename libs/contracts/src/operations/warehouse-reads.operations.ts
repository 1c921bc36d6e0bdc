import type { ConnectionId, Instant, PipelineId } from '../ids';
import type { JoinedBy, ProfileFact } from '../profile.facts';
import type { JsonString } from '../pipeline.facts';
import type { Microtime } from '../run-control.facts';
import { always, query } from './operation';
import type { Page } from './page';

/** An identity as a query answers it. */
export interface IdentityView {
  /** Absent for an anonymous identity. */
  readonly userId?: string;
  /** Those that are linked with the user, the earliest first; of an anonymous identity its own. Absent without any. */
  readonly anonymousIds?: readonly string[];
  readonly connection: ConnectionId;
  readonly pipeline: PipelineId;
  /** Id of its profile; `null` until it is resolved. */
  readonly profile: string | null;
  /** The greatest time of its updates. */
  readonly updatedAt: Microtime;
}

/** A profile as a query answers it. */
export interface ProfileView {
  readonly id: string;
  /** When its id was made. */
  readonly createdAt: Microtime;
  /** The greatest of its identities'. */
  readonly updatedAt: Microtime;
  /** Its properties, without those that it does not have. */
  readonly attributes: JsonString;
}

/** What identities of a profile have in common, so that each of them is joined directly with another one. */
export interface LinkView {
  readonly rule: JoinedBy['rule'];
  /** Path of the identifier of rule `d`; else `null`. */
  readonly identifier: string | null;
  /** The record id, or the value of the identifier; `null` when it is longer than 2,000 bytes. */
  readonly value: string | null;
  /** Those that were made first; as many as are shown of one link. */
  readonly identities: readonly LinkedIdentityView[];
  /** How many there are. */
  readonly count: number;
}

/** An identity that is named by what it is of. */
export type LinkedIdentityView = Pick<
  IdentityView,
  'userId' | 'anonymousIds' | 'connection' | 'pipeline'
>;

/** What has happened to a profile. */
export interface PastView {
  readonly type: ProfileFact['type'];
  readonly time: Microtime;
  /** Ids of the profiles that there were before, that which stays first. Of others than the first it names 100. */
  readonly from: readonly string[];
  /** Ids of the profiles that there are in their place. */
  readonly to: readonly string[];
  /**
   * Why it was split or is gone: `removed`: identities are; `changed`: values, owners or identifiers are others; `erased`: the
   * person was erased.
   */
  readonly reason: 'removed' | 'changed' | 'erased' | null;
  /** What has joined each of the absorbed, in their order; at most the first 100. */
  readonly joinedBy: readonly Pick<JoinedBy, 'rule' | 'identifier'>[];
}

/** The names of the properties that are wanted, at the top of their schema; `null`: all. */
export type WantedProperties = readonly string[] | null;

/** Between which timestamps events are wanted: at `from` or later, before `to`; `null`: whenever. */
interface EventTimes {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** What any read of a warehouse is refused with. */
export const READ_OF_WAREHOUSE = [
  'InvalidWarehouseSettings',
  'MaintenanceMode',
  'DifferentWarehouse',
] as const;

/** Reads from the warehouse of the request's workspace, in the modes that allow it. */
export const WAREHOUSE_READ_OPERATIONS = {
  /** Newest first. A cursor is valid for 24 hours, for the list that has answered it. */
  ListConnectionIdentities: query<
    Page & { readonly connection: string },
    { readonly identities: readonly IdentityView[]; readonly cursor: string }
  >({
    refusals: ['ConnectionNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** A cursor is valid for 24 hours, for the same properties, filter and order. */
  ListProfiles: query<
    Page & {
      readonly properties: WantedProperties;
      /** `null`: all profiles. */
      readonly filter: JsonString | null;
      /** Path of a property; `null`: the time of the update. */
      readonly order: string | null;
      /** `null`: in the direction that is usual for the order. */
      readonly orderDesc: boolean | null;
      /** Whether to count all that match. */
      readonly count: boolean;
    },
    {
      readonly profiles: readonly ProfileView[];
      /** Of the wanted properties. */
      readonly schema: JsonString;
      /** `null` when they were not counted. */
      readonly total: number | null;
      readonly cursor: string;
    }
  >({
    refusals: ['OrderNotExist', 'OrderTypeNotSortable', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** Of an id that was merged into another, the survivor. */
  GetProfile: query<
    { readonly profile: string; readonly properties: WantedProperties },
    ProfileView & {
      /** The id that was asked for, when it was merged into that of the profile. */
      readonly mergedFrom?: string;
    }
  >({
    refusals: ['ProfileNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** As `ListConnectionIdentities`, of the profile that an id was merged into, too. */
  ListProfileIdentities: query<
    Page & { readonly profile: string },
    { readonly identities: readonly IdentityView[]; readonly cursor: string }
  >({
    refusals: ['ProfileNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** By what the identities of a profile are joined, by their rules, of the profile that an id was merged into, too. */
  ListProfileLinks: query<
    Page & { readonly profile: string },
    { readonly links: readonly LinkView[]; readonly cursor: string }
  >({
    refusals: ['ProfileNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** What has happened to a profile, or to one that is gone, in that order, as far as it is published. */
  ListProfileHistory: query<
    Page & { readonly profile: string },
    { readonly history: readonly PastView[]; readonly cursor: string }
  >({
    refusals: ['ProfileNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** Newest first, of the profile that an id was merged into, too. A cursor is valid for 24 hours, for the same list. */
  ListProfileEvents: query<
    Page & EventTimes & { readonly profile: string; readonly properties: WantedProperties },
    { readonly events: readonly JsonString[]; readonly cursor: string }
  >({
    refusals: ['ProfileNotExist', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
  /** A cursor is valid for 24 hours, for the same list. A page may be empty before the end. */
  ListEvents: query<
    Page &
      EventTimes & {
        readonly properties: WantedProperties;
        /** `null`: all events. */
        readonly filter: JsonString | null;
        /** Path of a property. */
        readonly order: string;
        readonly ascending: boolean;
      },
    { readonly events: readonly JsonString[]; readonly cursor: string }
  >({
    refusals: ['OrderNotExist', 'OrderTypeNotSortable', ...READ_OF_WAREHOUSE],
    isSlow: always,
    carriesRecords: true,
  }),
};
