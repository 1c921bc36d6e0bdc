import {
  type ConfigurationReplica,
  type ProfileSchema,
  profilesOf,
  type WarehouseState,
  type WorkspaceId,
} from '@penstock/contracts';
import { SealBroken, type Seals } from '@penstock/runtime';
import { Invalid, parseJson } from '@penstock/schema';
import {
  type EventWriter,
  type IdentityWriter,
  WarehouseFault,
  type WarehousePlatform,
  type Warehouses,
  type WarehouseSettings,
  type WarehouseWriter,
} from '@penstock/warehouses';
import { unlessAborted } from '../time/aborted';
import { ProfilesFit } from './profiles-fit';

/** What warehouses are opened with. */
export interface WarehouseAccess {
  readonly replica: Pick<ConfigurationReplica, 'warehouse'>;
  readonly warehouses: Pick<Warehouses, 'get'>;
  readonly seals: Seals;
}

/** Longest time to connect and to take the role over. */
const OPEN_LIMIT_MS = 30_000;
/** Longer than any statement may take: the server does not answer any more. */
const WRITE_LIMIT_MS = 330_000;

/** Writers of one workspace, under the epoch that is the version of its warehouse's configuration. */
export interface Writers {
  readonly events: EventWriter;
  readonly identities: IdentityWriter;
  /** By the schema of profiles that they write by. */
  readonly fit: ProfilesFit;
}

/** Why the warehouse may not be written now; undefined: it may. */
export const closedBecause = (state: WarehouseState | undefined): string | undefined => {
  if (state === undefined) return 'the workspace has no data warehouse';
  if (state.mode === 'Normal') return undefined;
  return `data warehouse is in ${state.mode.toLowerCase()} mode`;
};

/** @throws WarehouseFault for what `PENSTOCK_SECRET` does not open, and what this version of the platform does not take */
const settingsOf = (platform: WarehousePlatform, open: () => string): WarehouseSettings => {
  try {
    return platform.checkSettings(parseJson(open()));
  } catch (error) {
    if (!(error instanceof SealBroken) && !(error instanceof Invalid)) throw error;
    throw new WarehouseFault('unusable', 'the settings of the data warehouse cannot be opened');
  }
};

/** Connections to the warehouse of a workspace, by its settings in one version. */
class OpenedWarehouse {
  private readonly end = new AbortController();
  private readonly writer: Promise<WarehouseWriter>;
  private readonly begun: Promise<Writers>;
  private isClosed = false;

  constructor(
    readonly state: WarehouseState,
    private readonly profiles: ProfileSchema,
    { warehouses, seals }: WarehouseAccess,
  ) {
    this.writer = this.open(warehouses, seals);
    this.begun = this.within(OPEN_LIMIT_MS, this.begin());
    for (const promise of [this.writer, this.begun]) promise.catch(() => undefined);
  }

  /** @throws WarehouseFault; what the work throws */
  async use<T>(work: (writers: Writers) => Promise<T>): Promise<T> {
    const writers = await this.begun;
    try {
      return await this.within(WRITE_LIMIT_MS, work(writers));
    } catch (error) {
      if (!this.isClosed || error instanceof WarehouseFault) throw error;
      throw new WarehouseFault('outdated', 'the data warehouse is opened anew');
    }
  }

  /** Ends the connections, once their statements have ended. */
  close(): void {
    this.isClosed = true;
    this.writer.then((writer) => writer.close()).catch(() => undefined);
  }

  /** Ends the connections at once. */
  abort(): void {
    this.end.abort(new WarehouseFault('unreachable', 'the data warehouse is given up'));
    this.close();
  }

  private async open(warehouses: Pick<Warehouses, 'get'>, seals: Seals): Promise<WarehouseWriter> {
    const { id: workspace, platform: name, settings } = this.state;
    const platform = warehouses.get(name);
    if (platform === undefined)
      throw new WarehouseFault('unsupported', `data warehouses on ${name} are not supported`);
    const { profiles } = this;
    const opened = settingsOf(platform, () => seals.open(settings, workspace));
    const { keyedHash } = seals;
    return platform.openWriter(opened, { workspace, profiles, keyedHash }, this.end.signal);
  }

  private async begin(): Promise<Writers> {
    const writer = await this.writer;
    const role = { role: 'events', epoch: this.state.version } as const;
    const [events, identities] = [await writer.beginEvents(role), await writer.begin(role)];
    return { events, identities, fit: new ProfilesFit(this.profiles) };
  }

  private async within<T>(limitMs: number, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.end.abort(new WarehouseFault('unreachable', 'the data warehouse does not answer'));
    }, limitMs);
    try {
      return await unlessAborted(this.end.signal, work);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The warehouse of one workspace. It is opened when it is used, and again for each version of its settings. */
export class WorkspaceWarehouse {
  private opened: OpenedWarehouse | undefined;

  constructor(
    private readonly workspace: WorkspaceId,
    private readonly access: WarehouseAccess,
  ) {}

  /**
   * Writes with the newest settings that the replica has, where the mode allows it.
   *
   * @throws WarehouseFault, after which the warehouse is opened anew; SealBroken
   */
  async use<T>(work: (writers: Writers) => Promise<T>): Promise<T> {
    const opened = this.newest();
    try {
      return await opened.use(work);
    } catch (error) {
      if (this.opened === opened) this.close();
      throw error;
    }
  }

  /** Ends the connections, once their statements have ended. */
  close(): void {
    this.opened?.close();
    this.opened = undefined;
  }

  /** Ends the connections at once. */
  abort(): void {
    this.opened?.abort();
    this.opened = undefined;
  }

  private newest(): OpenedWarehouse {
    const state = this.access.replica.warehouse(this.workspace);
    const reason = closedBecause(state);
    if (state === undefined || reason !== undefined) {
      this.close();
      throw new WarehouseFault('unusable', reason ?? '');
    }
    if (this.opened?.state !== state) this.close();
    this.opened ??= new OpenedWarehouse(state, profilesOf(state), this.access);
    return this.opened;
  }
}
