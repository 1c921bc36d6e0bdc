import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConfigurationReplica,
  type ConnectionId,
  type ResolutionSettings,
  type WarehouseState,
  type WorkspaceId,
} from '@penstock/contracts';
import { SealBroken, type Seals } from '@penstock/runtime';
import type { ResolutionRules, Resolver } from '@penstock/warehouses';
import { Away } from '../engine/away';
import { WholeRunError } from '../engine/whole-run-error';
import type { RunWriters } from '../workers/run-writers';
import type { ResolutionClaim } from './resolution-store';

/** What resolvers are opened with. */
export interface ResolversDependencies {
  readonly replica: Pick<ConfigurationReplica, 'warehouse' | 'resolution'>;
  readonly writers: Pick<RunWriters, 'open'>;
  readonly seals: Pick<Seals, 'open'>;
}

/** A resolver, with the connections that it has to itself. */
export interface OpenResolver {
  readonly resolver: Resolver;
  close(): Promise<void>;
}

const ROLE = 'resolution';

/** How long another process may know of a resolution earlier, and how often it is looked. */
const KNOWN_MS = 2_000;
const POLL_MS = 50;

const primarySourcesOf = (state: WarehouseState | undefined): ReadonlyMap<string, ConnectionId> =>
  new Map(state === undefined ? [] : Object.entries(state.profiles?.primarySources ?? {}));

/** Opens what resolves the identities of workspaces. */
export class Resolvers {
  constructor(private readonly deps: ResolversDependencies) {}

  /**
   * Opens the warehouse with the settings and rules that the workspace has now, and takes the resolution over: what a
   * lower epoch writes is refused from then on.
   *
   * @param signal ends the connections.
   * @throws Away, WholeRunError, WarehouseFault
   */
  async open(claim: ResolutionClaim, signal: AbortSignal): Promise<OpenResolver> {
    await this.untilKnown(claim, signal);
    return this.take(claim, signal);
  }

  /** After this, nothing is accepted that was begun under the claim. */
  async fence(claim: ResolutionClaim, signal: AbortSignal): Promise<void> {
    const { close } = await this.take({ ...claim, epoch: claim.epoch + 1 }, signal);
    await close();
  }

  /** What this process knows of settings and schema must not be older than the resolution. @throws Away */
  private async untilKnown(
    { workspace, resolution }: ResolutionClaim,
    signal: AbortSignal,
  ): Promise<void> {
    const isKnown = (): boolean =>
      this.deps.replica.resolution(workspace)?.live?.resolution === resolution;
    for (let waitedMs = 0; !isKnown(); waitedMs += POLL_MS) {
      if (waitedMs >= KNOWN_MS) throw new Away('the configuration is not read up to the start');
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  private async take(
    { workspace, epoch }: ResolutionClaim,
    signal: AbortSignal,
  ): Promise<OpenResolver> {
    const rules = this.rulesOf(workspace);
    const writer = await this.deps.writers.open(workspace, signal);
    const close = (): Promise<void> => writer.close().catch(() => undefined);
    try {
      return { resolver: await writer.beginResolution({ role: ROLE, epoch }, rules), close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  private rulesOf(workspace: WorkspaceId): ResolutionRules {
    const state = this.deps.replica.warehouse(workspace);
    const { identifiers = [], blockedValues = {} } = state?.resolution ?? {};
    return {
      identifiers,
      blockedValues: new Map(
        Object.entries(blockedValues).map(([path, sealed]) => [
          path,
          this.opened(sealed, workspace),
        ]),
      ),
      primarySources: primarySourcesOf(state),
    };
  }

  private opened(
    sealed: ResolutionSettings['blockedValues'][string],
    workspace: WorkspaceId,
  ): ReadonlySet<string> {
    try {
      return new Set(JSON.parse(this.deps.seals.open(sealed, workspace)) as readonly string[]);
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      const message = 'the settings of identity resolution cannot be opened';
      throw new WholeRunError('Finalize', 'InvalidWarehouse', message, { cause: error });
    }
  }
}
