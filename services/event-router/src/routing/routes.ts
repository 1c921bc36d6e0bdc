import type {
  AcceptedEventHead,
  RoutingReplica,
  ConnectionId,
  HistorySource,
  Integrations,
  PipelineId,
  EventPipelineState,
} from '@penstock/contracts';
import { type CompiledPipeline, compilePipeline, lengthOf } from './compiled-pipeline';
import { isOptedOut } from './opt-outs';
import type { LaneRoutes } from './lane-routes';
import { HistoryIncomplete, HistoryLoader, type RoutesWanted } from './history-loader';
import { type PipelineVersion, PipelineVersions } from './pipeline-versions';
import { type DestinationId, destinationOf, warehouseOf } from '../store/lane-id';
import { RecentlyUsed } from './recently-used';
import { SourceRoutes } from './source-routes';
import { MAX_STRETCHES, SourceTimeline } from './source-timeline';
import type { StampBeyondEnd } from './stamp-beyond-end';
import { Stamps } from './stamps';

/** The source and stamp of an event, which determine its routes. */
export type Stamped = Pick<AcceptedEventHead, 'source' | 'seen'>;

export interface RoutesDependencies {
  readonly replica: RoutingReplica;
  readonly historySource: HistorySource;
  /**
   * Resolves when the replica has applied everything that was in the configuration log when this was called; rejects
   * while the log is unavailable.
   */
  readonly caughtUp: () => Promise<void>;
  /** The label of a connector by its code; `integrations` of an event may use either. */
  readonly labelOf: (connector: string) => string;
  /** Called when events are stamped with a position beyond the end of the configuration log. */
  readonly onBeyondEnd: (alarm: StampBeyondEnd) => void;
}

/** Lanes and pipelines in cached routes, counted for each source: about 300 bytes each. */
const MAX_REMEMBERED = 200_000;
/**
 * Cached compiled pipelines, beside those in cached routes: at least 1 to 2 KB each. Whoever changes a large one often has a
 * version of it compiled each time: so one of long texts counts for several.
 */
const MAX_COMPILED = 10_000;
const COUNTED_LENGTH = 4_000;

/** Routes that are built one by one at a time: a few readers do not push those of each other out of a timeline. */
const MAX_IN_TURN = MAX_STRETCHES / 4;

/** Versions of pipelines that are looked up at a time. */
const MAX_LOOK_UPS = 8;

/** Where the events of each source go, by the configuration as of the position stamped on them. */
export class Routes {
  private readonly stamps: Stamps;
  private readonly loader: HistoryLoader;
  private readonly timelines = new RecentlyUsed<ConnectionId, SourceTimeline>(
    MAX_REMEMBERED,
    ({ weight }) => weight,
  );
  /** Most events that are prepared at a time: few after there was no room for what more of them need, then twice as many each time. */
  private mostAtOnce = Infinity;
  private readonly compiled = new RecentlyUsed<string, CompiledPipeline>(
    MAX_COMPILED,
    ({ state }) => Math.ceil((1 + lengthOf(state)) / COUNTED_LENGTH),
  );

  constructor(private readonly deps: RoutesDependencies) {
    const { replica, historySource, caughtUp, onBeyondEnd } = deps;
    this.stamps = new Stamps(replica, caughtUp, onBeyondEnd);
    this.loader = new HistoryLoader(replica, historySource);
  }

  /**
   * Loads what {@link at} needs for these events, or for the first of them where there is no room for what all of them need.
   *
   * @returns the number of events that it was loaded for, at least one if there are any: use it, and prepare the others then.
   * @throws Error when the configuration or its history is unavailable: try again.
   */
  async prepare(heads: readonly Stamped[]): Promise<number> {
    const first = heads.slice(0, this.mostAtOnce);
    let newest = 0;
    for (const { seen } of first) newest = Math.max(newest, seen);
    await this.stamps.know(newest);
    const wanted: RoutesWanted[] = [];
    for (const { source, seen } of first) {
      const position = this.stamps.positionOf(seen);
      if (this.find(source, position) === undefined) wanted.push({ source, position });
    }
    try {
      await this.loader.load(wanted);
      if (first.length >= this.mostAtOnce) this.mostAtOnce *= 2;
      return first.length;
    } catch (error) {
      if (!(error instanceof HistoryIncomplete)) throw error;
      const count = await this.prepareInTurn(first);
      this.mostAtOnce = 2 * count;
      return count;
    }
  }

  /**
   * The routes of a source at a stamp that was prepared. As long as they are cached, the same object for all positions
   * between which nothing that concerns the source was changed.
   *
   * @throws Error when the stamp was not prepared.
   */
  at(source: ConnectionId, seen: number): SourceRoutes {
    const position = this.stamps.positionOf(seen);
    return this.find(source, position) ?? this.build(source, position);
  }

  /**
   * Looks up the versions with which deliveries were routed, in the replica or else in the history.
   *
   * @throws Error when one cannot be had now: try again.
   */
  async versions(wanted: readonly PipelineVersion[]): Promise<PipelineVersions> {
    const versions = new PipelineVersions();
    const waiting = wanted.values();
    const lookUpInTurn = async (): Promise<void> => {
      for (const each of waiting) {
        if (versions.has(each)) continue;
        const known = this.compiled.get(`${each.pipeline}@${String(each.version)}`);
        const state = known ? undefined : await this.versionOf(each);
        versions.set(each, known ?? (state && this.compile(state)));
      }
    };
    await Promise.all(Array.from({ length: MAX_LOOK_UPS }, lookUpInTurn));
    return versions;
  }

  /** Whether the pipeline or its destination has been deleted, so that its deliveries are parked. */
  isDeleted({ id, connection }: EventPipelineState): boolean {
    const { replica } = this.deps;
    return (
      (replica.pipelineHead(id)?.deleted ?? true) || replica.connection(connection) === undefined
    );
  }

  /** The newest version of a pipeline; undefined: it or its destination was deleted, or never was. */
  presentVersion(id: PipelineId): number | undefined {
    const { replica } = this.deps;
    const head = replica.pipelineHead(id);
    if (head === undefined || head.deleted) return undefined;
    return replica.connection(head.connection) && head.version;
  }

  /** The lane of a pipeline, deleted or not; undefined: there never was one with this id. */
  laneOf(id: PipelineId): DestinationId | undefined {
    const { replica } = this.deps;
    const head = replica.pipelineHead(id);
    if (head === undefined) return undefined;
    const state = replica.pipeline(id);
    if (state !== undefined) return destinationOf(state);
    const isOnSource = replica.connectionEver(head.connection)?.role === 'Source';
    return isOnSource ? warehouseOf(head.workspace) : head.connection;
  }

  /** Whether the `integrations` of an event exclude a destination, as it is now. */
  isOptedOut(integrations: Integrations | null, lane: DestinationId): boolean {
    const { replica, labelOf } = this.deps;
    const connector = replica.connection(lane)?.connector ?? '';
    return isOptedOut(integrations, { lane, connector, label: labelOf(connector) });
  }

  /** Builds the routes of each while what it needs is there, of as many events as all of them are kept of. */
  private async prepareInTurn(heads: readonly Stamped[]): Promise<number> {
    const prepared = new Set<SourceRoutes>();
    for (const [index, { source, seen }] of heads.entries()) {
      const position = this.stamps.positionOf(seen);
      const found = this.find(source, position);
      if (found !== undefined && prepared.has(found)) continue;
      if (prepared.size === MAX_IN_TURN) return index;
      const build = (): SourceRoutes => this.build(source, position);
      prepared.add(found ?? (await this.loader.loadOne({ source, position }, build)));
    }
    return heads.length;
  }

  private find(source: ConnectionId, position: number): SourceRoutes | undefined {
    return this.timelines.get(source)?.at(position);
  }

  private build(source: ConnectionId, position: number): SourceRoutes {
    const { replica } = this.deps;
    const state = this.known(source, position);
    const links = state?.links ?? [];
    const lanes = links.flatMap((link) => this.laneRoutes(link, position) ?? []);
    lanes.push(...this.warehouseRoutes(source, position));
    const routes = new SourceRoutes(source, lanes);
    const timeline = this.timelines.get(source) ?? new SourceTimeline(source, replica.history);
    timeline.add(position, links, routes);
    this.timelines.set(source, timeline);
    return routes;
  }

  private laneRoutes(lane: ConnectionId, position: number): LaneRoutes | undefined {
    const state = this.known(lane, position);
    if (state === undefined) return undefined;
    const { workspace, connector } = state;
    const pipelines = this.deps.replica.pipelinesOnAt(lane, position);
    if (pipelines === 'unknown') throw notPrepared(`pipelines of connection ${lane}`, position);
    if (pipelines.length === 0) return undefined;
    return {
      lane,
      workspace,
      connector,
      label: this.deps.labelOf(connector),
      pipelines: pipelines.filter(({ enabled }) => enabled).map((each) => this.compile(each)),
      disabled: pipelines.filter(({ enabled }) => !enabled).map(({ id }) => id),
    };
  }

  /** The pipelines on the source itself write into the warehouse of its workspace. */
  private warehouseRoutes(source: ConnectionId, position: number): LaneRoutes[] {
    const own = this.laneRoutes(source, position);
    if (own === undefined) return [];
    return [{ ...own, lane: warehouseOf(own.workspace), connector: '', label: '' }];
  }

  private known(id: ConnectionId, position: number) {
    const state = this.deps.replica.connectionAt(id, position);
    if (state !== 'unknown') return state;
    throw notPrepared(`connection ${id}`, position);
  }

  private async versionOf({
    pipeline,
    version,
  }: PipelineVersion): Promise<EventPipelineState | undefined> {
    const { replica, historySource } = this.deps;
    return (
      replica.pipelineVersion(pipeline, version) ??
      (await historySource.pipelineVersion(pipeline, version))
    );
  }

  private compile(state: EventPipelineState): CompiledPipeline {
    const key = `${state.id}@${String(state.version)}`;
    const found = this.compiled.get(key);
    if (found !== undefined) return found;
    const pipeline = compilePipeline(state);
    this.compiled.set(key, pipeline);
    return pipeline;
  }
}

const notPrepared = (what: string, position: number): Error =>
  new Error(`${what} was not prepared at position ${String(position)}`);
