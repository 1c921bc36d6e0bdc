import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { Json, JsonObject } from '@penstock/schema';
import type { Form } from '@penstock/settings';
import type { ProfilesStep } from '../profiles/profiles-step';
import type { ReadableTables, StatementRows, StatementWanted } from './statement-reads';
import type { ReaderOptions, WarehouseReader } from './warehouse-reader';
import type { WarehouseWriter, WriterOptions } from './warehouse-writer';

/** Settings as a workspace holds them: checked, members in the order of the platform's form. */
export type WarehouseSettings = JsonObject;

/** A kind of data warehouse. Stateless: settings are all that it knows. */
export interface WarehousePlatform {
  /** As the API names it; stable. */
  readonly name: string;
  /** What the settings may hold: an object. */
  readonly settings: Form;
  /**
   * Checks the form of the settings, without the network.
   *
   * @throws Invalid naming every bad member by its JSON pointer within the settings.
   */
  checkSettings(settings: Json): WarehouseSettings;
  /** Whether both name the same schema in so many words, whoever the users are. */
  isSamePlace(one: WarehouseSettings, other: WarehouseSettings): boolean;
  /**
   * The statements that a change of the schema of profiles consists of, in their order. The rights on views, which are
   * kept, are not among them.
   *
   * @throws WarehouseFault `unsupported`
   */
  changeQueries(settings: WarehouseSettings, change: ProfilesStep): readonly string[];
  /**
   * Connects and logs in.
   *
   * @param signal ends everything that is done with the connection.
   * @throws WarehouseFault
   */
  connect(settings: WarehouseSettings, signal: AbortSignal): Promise<Warehouse>;
  /**
   * Opens what writes into the warehouse.
   *
   * @param signal ends every connection, with what is under way on it.
   * @throws WarehouseFault
   */
  openWriter(
    settings: WarehouseSettings,
    options: WriterOptions,
    signal: AbortSignal,
  ): Promise<WarehouseWriter>;
  /**
   * Opens what reads from the warehouse, in read-only transactions.
   *
   * @param signal ends every connection, with what is under way on it. There is no other way to close a reader.
   * @throws WarehouseFault
   */
  openReader(
    settings: WarehouseSettings,
    options: ReaderOptions,
    signal: AbortSignal,
  ): Promise<WarehouseReader>;
}

/** How a schema is made a warehouse. */
export interface InitialiseOptions {
  /** Whether all of it is undone once it has gone well. Absent: no. */
  readonly isDryRun?: boolean;
  /** Whether the workspace that the schema is of has given it up, so that the next one may have it. Absent: no. */
  readonly isFreed?: (owner: WorkspaceId) => Promise<boolean>;
}

/** What {@link Warehouse.initialise} has changed. */
export interface Initialised {
  /** The workspace that had freed the warehouse; undefined when the schema was empty. */
  readonly formerOwner: WorkspaceId | undefined;
}

/** A change of the schema of profiles. */
export interface ProfilesChange extends ProfilesStep {
  /**
   * Called before anything is changed, when the warehouse is known to be the workspace's and to have the schema that the
   * change begins with. No other change or repair begins meanwhile. When it rejects, nothing is changed.
   */
  readonly begun: () => Promise<void>;
  /** Whether all of it is undone once it has gone well. Absent: no. */
  readonly isDryRun?: boolean;
}

/** Which readers are kept out, and how long those that read may go on. */
export interface ReadersKeptOut {
  readonly epoch: number;
  /** Milliseconds. */
  readonly graceMs: number;
}

/** Identities that were changed since they were resolved. */
export interface Unresolved {
  readonly count: number;
  /** Milliseconds since the first of them was changed, by the clock of the warehouse; `null`: there are none. */
  readonly waitingMs: number | null;
}

/** A connection to a warehouse, with the rights of one user. Every method rejects with {@link WarehouseFault}. */
export interface Warehouse {
  /** Rejects unless the schema is there and the user may create, read and write in it. Changes nothing. */
  checkAccess(): Promise<void>;
  /** Rejects unless the schema is there and the user may look into it. */
  checkReading(): Promise<void>;
  /** The workspace that the warehouse is of; undefined when it is of none. */
  owner(): Promise<WorkspaceId | undefined>;
  /**
   * Makes an empty schema the warehouse of the workspace; one that is already stays as it is. One that was freed
   * becomes the workspace's as it stands, with what is in it. All or nothing. A schema that is missing is created where
   * the user may.
   *
   * @returns undefined when nothing has changed, as after a dry run.
   */
  initialise(workspace: WorkspaceId, options?: InitialiseOptions): Promise<Initialised | undefined>;
  /**
   * Undoes {@link initialise} for a workspace that was not created after all: the former owner has the warehouse again,
   * or the schema is empty again. Changes nothing when the warehouse is not of the workspace. All or nothing.
   */
  release(workspace: WorkspaceId, initialised: Initialised): Promise<void>;
  /**
   * Makes what is missing, replaces views that are not as they must be, drops staging tables that were left over, and
   * brings an older layout up; what is as it must be stays untouched. All or nothing. Rejects with `unusable` naming a
   * column that has another type than it must.
   *
   * @param profiles the present schema of profiles.
   * @param record called once with the names of what was made before that stays, unless there are none. When it rejects,
   * or takes ten seconds, nothing is changed. What it has recorded may not have come to stay: the next repair makes it.
   * @returns the names of what was made, changed or dropped; empty for a healthy warehouse.
   */
  repair(
    workspace: WorkspaceId,
    profiles: ProfileSchema,
    record?: (made: readonly string[]) => Promise<void>,
  ): Promise<readonly string[]>;
  /**
   * Changes the columns of the profiles and the version of their schema: all or nothing. `busy` while another change or a
   * repair is under way, `outdated` when the present schema is not the one that the change begins with, `locked` when a
   * lock was not to be had within ten seconds. After `unreachable` it is unknown whether it was done:
   * {@link profilesVersion} tells.
   */
  changeProfiles(workspace: WorkspaceId, change: ProfilesChange): Promise<void>;
  /**
   * The version of the schema of profiles. Nobody is changing it then: `busy` while a change or a repair is under way.
   *
   * @returns undefined when the warehouse has no marker, or that of another workspace.
   */
  profilesVersion(workspace: WorkspaceId): Promise<number | undefined>;
  /**
   * Interrupts the change of the schema of profiles that is under way, if there is one: it fails with `unreachable`, and
   * nothing was changed unless it was committed already. Rejects with `unusable` where another user is changing it.
   */
  interruptChange(): Promise<void>;
  /**
   * Keeps readers of epochs before this one out: reads that begin from now on reject with `fenced`, those under way have
   * the time of grace to end, and reject with `unreachable` then. Afterwards none is under way.
   */
  keepReadersOut(workspace: WorkspaceId, limits: ReadersKeptOut): Promise<void>;
  /** How many identities are to be resolved, whoever resolves them. Rejects with `foreign` unless it is the workspace's. */
  unresolved(workspace: WorkspaceId): Promise<Unresolved>;
  /**
   * Does work that reads on connections of other users, while readers of the epoch are let in. Rejects as a reader does,
   * and with `unreachable` where the work has not ended within the time of grace of those who keep readers out.
   *
   * @param work is given a signal that fires when it is to end at once.
   */
  whileReadable<T>(
    reader: Pick<ReaderOptions, 'workspace' | 'epoch'>,
    work: (ended: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /**
   * What lets the user write, or read files of the server, or get the right to: a sentence for each. Empty: it can only
   * read tables.
   */
  writingRights(): Promise<readonly string[]>;
  /** The tables and views of the schema that the user may read, without those that are the service's own. */
  readableTables(): Promise<ReadableTables>;
  /**
   * Executes a statement that somebody else has written, which can read only, within 30 seconds. Rejects with `invalid` when it is
   * not one, or not taken. Nothing else can be done with the connection afterwards.
   */
  readStatement(wanted: StatementWanted): Promise<StatementRows>;
  close(): Promise<void>;
}

/**
 * - `unreachable`: there is no answer.
 * - `unusable`: the server refuses, or the state of the schema does not fit.
 * - `foreign`: the warehouse of another workspace.
 * - `busy`: the same operation is being done by somebody else.
 * - `unsupported`: this version of the service cannot do it.
 * - `newer`: the warehouse has the layout of a newer version of the service.
 * - `fenced`: another writer has taken the role over.
 * - `outdated`: the schema of profiles is another one by now.
 * - `invalid`: a statement that somebody else has written is not taken, by the service or the server.
 * - `locked`: somebody else's session holds a table or row for too long. Nothing was changed.
 */
export type WarehouseFaultKind =
  | 'unreachable'
  | 'unusable'
  | 'foreign'
  | 'busy'
  | 'unsupported'
  | 'newer'
  | 'fenced'
  | 'outdated'
  | 'invalid'
  | 'locked';

/** A warehouse cannot be used. The message is for people and holds no password. */
export class WarehouseFault extends Error {
  override readonly name = 'WarehouseFault';
  constructor(
    readonly kind: WarehouseFaultKind,
    message: string,
  ) {
    super(message);
  }
}
