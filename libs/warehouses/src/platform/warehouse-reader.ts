import type { ConnectionId, Microtime, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { EventsPage, EventsWanted } from './event-reads';
import type {
  HistoryPage,
  HistoryWanted,
  LinksPage,
  LinksWanted,
  ProfilesPage,
  ProfilesWanted,
  ProfileWanted,
  ScannedProfile,
  ScanPage,
  ScanPageWanted,
  ScanWanted,
  StoredProfile,
} from './profile-reads';
import type { ResolvedState } from './resolved-reads';

/** For what a reader is opened. */
export interface ReaderOptions {
  /** Whose warehouse it must be. */
  readonly workspace: WorkspaceId;
  /** The version of the configuration that allows the reads; an integer, 1 or more. */
  readonly epoch: number;
  /** Connections at a time, 1 or more. They are closed after ten seconds without use. */
  readonly connections: number;
}

/** Where an identity stands among those of its connection: its number in the warehouse, the greater the newer. */
export type IdentityPlace = string;

/** An identity as a warehouse has it. */
export interface StoredIdentity {
  readonly place: IdentityPlace;
  /** The greatest time of its updates. */
  readonly updatedAt: Microtime;
  readonly connection: ConnectionId;
  readonly pipeline: PipelineId;
  /** The user id; of an anonymous identity the anonymous id. */
  readonly recordId: string;
  readonly anonymous: boolean;
  /**
   * Linked with a known identity, the first one first: at most {@link MAX_ANONYMOUS_IDS}, of at most
   * {@link MAX_ANONYMOUS_ID_BYTES} together.
   */
  readonly anonymousIds: readonly string[];
  /** `null` until it is resolved. */
  readonly profile: string | null;
}

/** How many anonymous ids of an identity are read. */
export const MAX_ANONYMOUS_IDS = 500;

/** Bytes of the anonymous ids of an identity that are read: JSON may write each of them as six. */
export const MAX_ANONYMOUS_ID_BYTES = 100_000;

/** Whose identities are wanted: those of a connection, or of a profile. */
export type IdentitiesOwner =
  | { readonly connection: ConnectionId }
  | { readonly profile: StoredProfile['id'] };

/** Which identities are wanted. */
export interface IdentitiesWanted {
  readonly of: IdentitiesOwner;
  /** 1 or more. */
  readonly limit: number;
  /** Absent: from the first one on. */
  readonly after?: IdentityPlace | undefined;
}

/** Some of the identities of a connection or a profile, that which was made last first. */
export interface IdentitiesPage {
  /** As many as wanted, or fewer where they are large; one at least, unless there are none. */
  readonly identities: readonly StoredIdentity[];
  /** Whether no others follow. */
  readonly isLast: boolean;
}

/**
 * Reads from the warehouse of one workspace. Every method rejects with `WarehouseFault`: `newer` when the layout is of a
 * newer version of the service, `fenced` when readers of its epoch are kept out, `foreign` when the warehouse is of another
 * workspace, `unreachable` when there was no answer in time, `outdated` when its profiles have another schema than the
 * caller knows.
 */
export interface WarehouseReader {
  /**
   * Reads a page of identities. Of a connection the work is in proportion to the page, not to the identities that there
   * are; of a profile, to all that it has.
   *
   * @param signal gives it up.
   */
  identities(wanted: IdentitiesWanted, signal: AbortSignal): Promise<IdentitiesPage>;

  /**
   * Reads a profile; of an id that was merged into another one, the one that is left.
   *
   * @param signal gives it up.
   * @returns undefined when there is none.
   */
  profile(wanted: ProfileWanted, signal: AbortSignal): Promise<StoredProfile | undefined>;

  /**
   * Reads a page of profiles. With the order by update time and without a filter the work is in proportion to the page;
   * else it may be to all profiles.
   *
   * @param signal gives it up.
   */
  profiles(wanted: ProfilesWanted, signal: AbortSignal): Promise<ProfilesPage>;

  /** How many profiles there are, in proportion to their number. @param signal gives it up */
  countProfiles(signal: AbortSignal): Promise<number>;

  /**
   * Reads a page of all profiles in the order of their ids, in proportion to the page.
   *
   * @param signal gives it up.
   */
  scan(wanted: ScanPageWanted, signal: AbortSignal): Promise<ScanPage>;

  /**
   * Reads all profiles as they stand when it begins, the smallest values at a path first, those without a value last, equal
   * ones by their ids. Texts are compared as a whole, by code points. Until it has ended it takes a connection, and the
   * schema of profiles cannot be changed.
   *
   * @param path of a property without others in it, whose values have an order.
   * @param signal gives it up.
   */
  scanInOrder(
    wanted: ScanWanted,
    path: string,
    signal: AbortSignal,
  ): AsyncIterable<readonly ScannedProfile[]>;

  /**
   * Reads by what the identities of a profile are joined. The work is in proportion to all that it has. What was written
   * since its last resolution is not in them.
   *
   * @param signal gives it up.
   */
  links(wanted: LinksWanted, signal: AbortSignal): Promise<LinksPage>;

  /**
   * Reads what has happened to a profile, or to one that is gone, as far as it is published.
   *
   * @param signal gives it up.
   */
  history(wanted: HistoryWanted, signal: AbortSignal): Promise<HistoryPage>;

  /**
   * Reads a page of events. By their timestamps, of all or of a profile, the work is in proportion to the page; else it
   * may be to all events. A filter that looks into JSON is given so many of them at a time that a page may be empty before
   * the end of the list.
   *
   * @param signal gives it up.
   */
  events(wanted: EventsWanted, signal: AbortSignal): Promise<EventsPage>;

  /**
   * Reads what resolutions have made, as it stands at one moment. Until the work has ended it takes a connection, and the
   * schema of profiles cannot be changed.
   *
   * @param work is not to keep the state for later.
   * @param signal gives it up.
   */
  resolved<T>(work: (state: ResolvedState) => Promise<T>, signal: AbortSignal): Promise<T>;
}
