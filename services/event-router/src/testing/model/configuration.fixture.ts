import {
  type RoutingReplica,
  type ConfigurationState,
  type ConnectionId,
  type ConnectionState,
  type PipelineId,
  pipelineKey,
  type SendingPipelineState,
  stateKey,
  type StateRecord,
  suppressionId,
  type WorkspaceId,
} from '@penstock/contracts';
import { functionState, onlyEvent, pipelineState } from '../pipelines.fixture';
import type { Simulation } from './simulation.fixture';
import type { Traits } from './traits.fixture';

const WORKSPACES = ['workspace000001', 'workspace000002'] as WorkspaceId[];
export const NAMES = ['A', 'B', 'C'];
export const CONNECTOR = 'http';
const FUNCTION_SOURCE = 'simulated';

/** A hash function for tests: the text itself. */
export const keyedHash = (text: string): string => text;

const connection = (
  id: string,
  workspace: WorkspaceId,
  links: readonly ConnectionId[] | undefined,
): ConnectionState =>
  ({
    kind: 'connection',
    id,
    workspace,
    name: id,
    connector: links === undefined ? CONNECTOR : 'nodejs',
    connectorType: links === undefined ? 'Application' : 'SDK',
    role: links === undefined ? 'Destination' : 'Source',
    sendingMode: null,
    settings: '',
    version: 1,
    deleted: false,
    writeKeys: [],
    links: links ?? [],
  }) as unknown as ConnectionState;

/** The configuration of a simulation, with all of its history. */
export class SimulatedConfiguration {
  readonly records: StateRecord[] = [];
  /** When each record was published, in milliseconds of the simulation. */
  readonly publishedMs: number[] = [];
  readonly sources: ConnectionId[] = [];
  readonly lanes: ConnectionId[] = [];
  readonly pipelines: PipelineId[] = [];
  /** Lanes whose setting `ordering` was changed. */
  readonly reordered = new Set<ConnectionId>();
  private readonly histories = new Map<string, StateRecord[]>();
  /** Versions of a pipeline that stay in the topic. */
  private readonly keptVersions: number;
  private readonly followers = new Set<(record: StateRecord) => void>();

  constructor(
    private readonly simulation: Simulation,
    private readonly traits: Traits,
  ) {
    this.keptVersions = simulation.seed % 2 === 0 ? 1 : 4;
    const laneCount = simulation.between(1, 4);
    for (let each = 0; each < laneCount; each += 1) this.addLane(each);
    for (let each = 0; each < 2; each += 1) {
      const id = `source00000000${each}` as ConnectionId;
      const workspace = this.workspace(each);
      const own = this.lanes.filter((lane) => this.connection(lane).workspace === workspace);
      this.sources.push(id);
      this.publish(
        connection(
          id,
          workspace,
          own.filter(() => simulation.chance(0.8)),
        ),
      );
    }
  }

  get position(): number {
    return this.records.length;
  }

  connection(id: ConnectionId): ConnectionState {
    return this.newest(id) as ConnectionState;
  }

  pipeline(id: PipelineId): SendingPipelineState {
    return this.newest(id) as SendingPipelineState;
  }

  /** The key that leaves the topic when a state joins it. */
  supersededBy(state: ConfigurationState): string | undefined {
    return state.kind === 'pipeline'
      ? pipelineKey(state.id, state.version - this.keptVersions)
      : undefined;
  }

  /** The newest record of each object, as a compacted topic has them, then what comes. */
  follow(take: (record: StateRecord) => void): void {
    const newest = new Map<string | undefined, StateRecord>();
    for (const record of this.records) {
      newest.set(stateKey(record.state), record);
      newest.delete(this.supersededBy(record.state));
    }
    for (const record of [...newest.values()].sort((a, b) => a.position - b.position)) take(record);
    this.followers.add(take);
  }

  unfollow(take: (record: StateRecord) => void): void {
    this.followers.delete(take);
  }

  /** Makes a random change that a user might make. */
  changeSomething(users: readonly string[]): void {
    const { simulation, traits } = this;
    const lane = simulation.pick(this.lanes);
    if (traits.suppresses && simulation.chance(0.4)) this.toggleSuppression(simulation.pick(users));
    else if (traits.deletes && simulation.chance(0.1)) this.change(lane, { deleted: true });
    else if (traits.reorders && simulation.chance(0.3)) this.toggleOrder(lane);
    else if (simulation.chance(0.1)) this.change(lane, {});
    else if (simulation.chance(0.2)) this.toggleLink(simulation.pick(this.sources), lane);
    else this.changePipeline(simulation.pick(this.pipelines), simulation.between(1, 4));
  }

  /** The state of an object at the position; undefined before it was created. */
  at(id: string, position: number): ConfigurationState | undefined {
    return this.histories.get(id)?.findLast((record) => record.position <= position)?.state;
  }

  /** The states of an object that a process may use which has applied at least the position. */
  since(id: string, position: number): (ConfigurationState | undefined)[] {
    const later = (this.histories.get(id) ?? []).filter((record) => record.position > position);
    return [this.at(id, position), ...later.map(({ state }) => state)];
  }

  /** Whether the user was suppressed at `atMs` and had been for at least `forMs`. */
  wasSuppressed(workspace: WorkspaceId, user: string, atMs: number, forMs: number): boolean {
    const history = this.histories.get(suppressionId(keyedHash, workspace, user)) ?? [];
    const timeOf = ({ position }: StateRecord): number => this.publishedMs[position - 1]!;
    const last = history.findLast((record) => timeOf(record) <= atMs);
    if (last?.state.kind !== 'suppression' || !last.state.suppressed) return false;
    return timeOf(last) + forMs <= atMs;
  }

  historyOf<State extends ConnectionState | SendingPipelineState>(id: State['id']) {
    return (this.histories.get(id) ?? []).map(({ position, state }) => ({
      position,
      state: state as State,
    }));
  }

  private newest(id: string): ConfigurationState {
    return this.histories.get(id)!.at(-1)!.state;
  }

  private workspace(index: number): WorkspaceId {
    return WORKSPACES[this.traits.hasWorkspaces ? index % 2 : 0]!;
  }

  private addLane(index: number): void {
    const { simulation, traits } = this;
    const lane = `destination000${index}` as ConnectionId;
    const workspace = this.workspace(index);
    this.lanes.push(lane);
    const ordering = simulation.chance(0.2) ? 'none' : 'key';
    this.publish({ ...connection(lane, workspace, undefined), delivery: { ordering } });
    const count = simulation.between(1, 3);
    for (let each = 0; each < count; each += 1) {
      const id = `pipeline0000${index}${each}` as PipelineId;
      this.pipelines.push(id);
      const enabled = simulation.chance(0.9);
      const members = { id, workspace, connection: lane, enabled, filter: this.filter() };
      const hasFunction = traits.hasFunctions && simulation.chance(0.5);
      this.publish(hasFunction ? functionState(FUNCTION_SOURCE, members) : pipelineState(members));
    }
  }

  private filter(): string | null {
    return this.simulation.chance(0.5) ? null : onlyEvent(this.simulation.pick(NAMES));
  }

  private toggleSuppression(user: string): void {
    const workspace = this.workspace(this.simulation.between(0, 1));
    const id = suppressionId(keyedHash, workspace, user);
    const before = this.histories.get(id)?.at(-1)?.state;
    const version = before?.kind === 'suppression' ? before.version + 1 : 1;
    const suppressed = before?.kind !== 'suppression' || !before.suppressed;
    this.publish({ kind: 'suppression', id, workspace, version, suppressed });
  }

  private toggleOrder(lane: ConnectionId): void {
    const isKept = this.connection(lane).delivery?.ordering === 'key';
    this.reordered.add(lane);
    this.change(lane, { delivery: { ordering: isKept ? 'none' : 'key' } });
  }

  private toggleLink(source: ConnectionId, lane: ConnectionId): void {
    const { links, workspace } = this.connection(source);
    const { workspace: other, deleted } = this.connection(lane);
    if (workspace !== other || deleted) return;
    const without = links.filter((each) => each !== lane);
    this.change(source, {
      links: without.length < links.length ? without : [...links, lane],
    });
  }

  private change(id: ConnectionId, change: Partial<ConnectionState>): void {
    const state = this.connection(id);
    if (!state.deleted) this.publish({ ...state, ...change, version: state.version + 1 });
  }

  private changePipeline(id: PipelineId, kind: number): void {
    const state = this.pipeline(id);
    if (state.deleted || this.connection(state.connection).deleted) return;
    const version = state.version + 1;
    if (kind === 1) this.publish({ ...state, version, enabled: !state.enabled });
    else if (kind === 2 && this.simulation.chance(0.3))
      this.publish({ ...state, version, deleted: true });
    else this.publish({ ...state, version, filter: this.filter() });
  }

  private publish(state: ConfigurationState): void {
    const record = { position: this.records.length + 1, state };
    const history = this.histories.get(state.id) ?? [];
    this.records.push(record);
    this.publishedMs.push(this.simulation.nowMs);
    this.histories.set(state.id, history);
    history.push(record);
    for (const take of this.followers) take(record);
  }
}

/** Feeds a replica as the configuration's topic would, with a delay. */
export const feed = (
  simulation: Simulation,
  configuration: SimulatedConfiguration,
  replica: RoutingReplica,
): (() => void) => {
  let isLive = false;
  let before = Promise.resolve();
  const apply = (record: StateRecord): void => {
    replica.apply(record);
    const superseded = configuration.supersededBy(record.state);
    if (superseded !== undefined) replica.take({ key: superseded, value: null });
  };
  const take = (record: StateRecord): void => {
    if (!isLive) return replica.apply(record);
    before = before
      .then(() => simulation.sleep(simulation.between(0, 50)))
      .then(() => {
        apply(record);
      });
  };
  configuration.follow(take);
  isLive = true;
  return () => {
    configuration.unfollow(take);
  };
};
