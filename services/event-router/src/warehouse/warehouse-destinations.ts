import type { Outcome } from '@penstock/connectors';
import { resolutionSettingsOf, type WorkspaceId } from '@penstock/contracts';
import { WarehouseFault } from '@penstock/warehouses';
import { RouterFault } from '../faults/router-fault';
import {
  type Destination,
  Destinations,
  type PreparedEvent,
  type RequestTerms,
} from '../sending/destination';
import { type DestinationId, workspaceOfWarehouse } from '../store/lane-id';
import { unlessAborted } from '../time/aborted';
import { closedBecause, type WarehouseAccess, WorkspaceWarehouse } from './opened-warehouse';
import { BatchOutcomes } from './write-batch';

/** A part of what a writer takes at once: preparing more would hold the requests of other lanes back for too long. */
const MAX_EVENTS = 1_000;
/** One batch is merged while another one is staged. */
const CONCURRENCY = 2;
/** Source: the specification of the warehouse, "Writing": a batch of at most a second. */
const LINGER_MS = 1_000;
/** Source: the same: back-off while the warehouse cannot be reached. */
const PROBE_CAP_MS = 30_000;

const NOT_SENT: Outcome = { kind: 'unavailable', reason: 'lease is lost', notSent: true };

/** Faults after which the warehouse is opened with what the replica has by then, and the batch is written again at once. */
const isOutdated = (error: unknown): boolean =>
  error instanceof WarehouseFault && (error.kind === 'fenced' || error.kind === 'outdated');

export interface WarehouseDestinationsContext extends WarehouseAccess {
  /** Destinations that are connections. */
  readonly connections: Destinations;
  /** Called when identities were written that are to be resolved some time later. */
  readonly onIdentities: (workspace: WorkspaceId) => void;
  readonly onError: (error: unknown) => void;
}

/** Destinations that are connections, and the warehouses of workspaces. */
export class WarehouseDestinations extends Destinations {
  private readonly open = new Map<WorkspaceId, WorkspaceWarehouse>();
  private readonly known = new Map<WorkspaceId, Destination>();

  constructor(private readonly context: WarehouseDestinationsContext) {
    super();
  }

  override find(id: DestinationId): Destination | undefined {
    const workspace = workspaceOfWarehouse(id);
    return workspace === undefined
      ? this.context.connections.find(id)
      : this.ofWorkspace(workspace);
  }

  /** Ends all connections to warehouses at once. */
  override close(): void {
    for (const warehouse of this.open.values()) warehouse.abort();
    this.open.clear();
    this.context.connections.close();
  }

  /** A warehouse is never deleted here: its pipelines are, and deliveries of deleted pipelines are parked. */
  private ofWorkspace(workspace: WorkspaceId): Destination {
    const version = this.context.replica.warehouse(workspace)?.version ?? 1;
    const known = this.known.get(workspace);
    if (known?.version === version) return known;
    const destination: Destination = {
      version,
      connector: 'warehouse',
      limits: { maxEvents: MAX_EVENTS, concurrency: CONCURRENCY },
      ordering: 'key',
      maxAgeMs: Infinity,
      lingerMs: LINGER_MS,
      probeCapMs: PROBE_CAP_MS,
      startsAnew: true,
      send: (events, terms) => this.send(workspace, events, terms),
    };
    this.known.set(workspace, destination);
    return destination;
  }

  private async send(
    workspace: WorkspaceId,
    events: readonly PreparedEvent[],
    { signal, mayWrite }: RequestTerms,
  ): Promise<readonly Outcome[]> {
    if (!mayWrite()) return events.map(() => NOT_SENT);
    const outcomes = new BatchOutcomes(events);
    try {
      await unlessAborted(signal, this.write(workspace, outcomes));
      return outcomes.list();
    } catch (error) {
      if (signal.aborted) return outcomes.list();
      if (!(error instanceof WarehouseFault)) throw error;
      this.report(workspace, error);
      return outcomes.list(error);
    }
  }

  private async write(workspace: WorkspaceId, outcomes: BatchOutcomes): Promise<void> {
    const warehouse = this.warehouseOf(workspace);
    const write = () => warehouse.use((writers) => outcomes.write(writers));
    try {
      await write();
    } catch (error) {
      if (!isOutdated(error)) throw error;
      await write();
    } finally {
      if (outcomes.hasIdentities && this.isResolved(workspace))
        this.context.onIdentities(workspace);
    }
  }

  private isResolved(workspace: WorkspaceId): boolean {
    const state = this.context.replica.warehouse(workspace);
    return state !== undefined && resolutionSettingsOf(state).eventDelay !== null;
  }

  private warehouseOf(workspace: WorkspaceId): WorkspaceWarehouse {
    const known = this.open.get(workspace);
    if (known !== undefined) return known;
    const warehouse = new WorkspaceWarehouse(workspace, this.context);
    this.open.set(workspace, warehouse);
    return warehouse;
  }

  /** A mode that forbids writing is wanted by the user, and no fault. */
  private report(workspace: WorkspaceId, error: WarehouseFault): void {
    const { replica, onError } = this.context;
    const state = replica.warehouse(workspace);
    if (state !== undefined && closedBecause(state) !== undefined) return;
    onError(
      new RouterFault(
        'a data warehouse cannot be written: events for it wait in the log; trying again',
        { workspace },
        error,
      ),
    );
  }
}
