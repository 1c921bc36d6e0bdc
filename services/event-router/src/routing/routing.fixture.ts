import {
  type ConfigurationState,
  RoutingReplica,
  type RoutingReplicaOptions,
  type ConnectionId,
  type ConnectionState,
  type HistorySource,
  type PipelineId,
  type SendingPipelineState,
  stateKey,
  type StateRecord,
  supersededKey,
  type WarehousePipelineState,
} from '@penstock/contracts';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { Routes, type RoutesDependencies } from './routes';
import type { SourceRoutes } from './source-routes';
import type { StampBeyondEnd } from './stamp-beyond-end';

export const SOURCES = [1, 2].map((index) => `source00000000${String(index)}` as ConnectionId);
export const DESTINATIONS = [1, 2, 3].map(
  (index) => `destination000${String(index)}` as ConnectionId,
);

export const pipelineId = (index: number): PipelineId =>
  `pipeline${String(index).padStart(7, '0')}` as PipelineId;

export const connectionState = (members: Partial<ConnectionState> = {}): ConnectionState => ({
  kind: 'connection',
  id: SOURCES[0] as ConnectionId,
  workspace: WORKSPACE,
  name: 'A connection',
  connector: 'webhook',
  connectorType: 'Webhook',
  role: members.id?.startsWith('destination') === true ? 'Destination' : 'Source',
  sendingMode: null,
  settings: 'sealed',
  version: 1,
  deleted: false,
  writeKeys: [],
  links: [],
  ...members,
});

/** The states of a configuration's facts, in order; positions begin at 1. */
export class Facts {
  readonly records: StateRecord[] = [];
  private readonly newest = new Map<string, ConfigurationState>();

  get position(): number {
    return this.records.length;
  }

  connection(id: ConnectionId, members: Partial<ConnectionState> = {}): void {
    const before = this.newest.get(id) as ConnectionState | undefined;
    const version = (before?.version ?? 0) + 1;
    this.add({ ...(before ?? connectionState({ id })), ...members, version });
  }

  pipeline(
    id: PipelineId,
    members: Partial<SendingPipelineState> | Partial<WarehousePipelineState> = {},
  ): void {
    const before = this.newest.get(id) as SendingPipelineState | undefined;
    const version = (before?.version ?? 0) + 1;
    this.add({
      ...(before ?? pipelineState({ id })),
      ...(members as Partial<SendingPipelineState>),
      version,
    });
  }

  /** The newest state of an object. */
  of(id: string): ConfigurationState | undefined {
    return this.newest.get(id);
  }

  /** The records of the topic when it was compacted while it ended at the position. */
  compacted(position: number): StateRecord[] {
    const records = this.records.slice(0, position);
    const last = new Map<string | undefined, StateRecord>();
    for (const record of records) {
      last.set(stateKey(record.state), record);
      last.delete(supersededKey(record.state));
    }
    return records.filter((record) => last.get(stateKey(record.state)) === record);
  }

  /** Of one object. */
  recordsOf<State extends ConnectionState | SendingPipelineState>(id: State['id']) {
    return this.records
      .filter(({ state }) => state.id === id)
      .map(({ position, state }) => ({ position, state: state as State }));
  }

  private add(state: ConnectionState | SendingPipelineState): void {
    this.newest.set(state.id, state);
    this.records.push({ position: this.records.length + 1, state });
  }
}

/** A history source over the facts that records its calls. */
export class FactsHistory implements HistorySource {
  readonly asked: { id: ConnectionId | PipelineId; from: number; to: number }[] = [];
  /** Thrown in place of an answer. */
  failure: Error | undefined;
  running = 0;
  mostRunning = 0;

  constructor(private readonly facts: Facts) {}

  connectionStates: HistorySource['connectionStates'] = (id, from, to) =>
    this.states<ConnectionState>(id, from, to);

  pipelineStates: HistorySource['pipelineStates'] = (id, from, to) =>
    this.states<SendingPipelineState>(id, from, to);

  pipelineVersion: HistorySource['pipelineVersion'] = async (id, version) => {
    await this.answer();
    return this.facts.recordsOf<SendingPipelineState>(id)[version - 1]?.state;
  };

  private async answer(): Promise<void> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    if (this.failure !== undefined) throw this.failure;
  }

  private async states<State extends ConnectionState | SendingPipelineState>(
    id: State['id'],
    from: number,
    to: number,
  ) {
    this.asked.push({ id, from, to });
    await this.answer();
    const records = this.facts.recordsOf<State>(id);
    const first = Math.max(
      0,
      records.findLastIndex(({ position }) => position <= from),
    );
    return records.slice(first).filter(({ position }) => position < to);
  }
}

/** `Routes` over a replica that has applied the records. */
export class RoutesStand {
  readonly replica: RoutingReplica;
  readonly history: FactsHistory;
  readonly alarms: StampBeyondEnd[] = [];
  readonly routes: Routes;
  /** Number of calls of `caughtUp`. */
  looks = 0;

  constructor(
    facts: Facts,
    records: readonly StateRecord[] = facts.records,
    dependencies: Partial<RoutesDependencies> = {},
    options: RoutingReplicaOptions = {},
  ) {
    this.replica = new RoutingReplica(options);
    for (const record of records) this.replica.apply(record);
    this.history = new FactsHistory(facts);
    this.routes = new Routes({
      replica: this.replica,
      historySource: this.history,
      caughtUp: () => {
        this.looks += 1;
        return Promise.resolve();
      },
      labelOf: (connector) => `Label of ${connector}`,
      onBeyondEnd: (alarm) => this.alarms.push(alarm),
      ...dependencies,
    });
  }

  async version(pipeline: PipelineId, version: number) {
    const wanted = { pipeline, version };
    return (await this.routes.versions([wanted])).get(wanted);
  }

  async at(source: ConnectionId, seen: number): Promise<SourceRoutes> {
    await this.routes.prepare([{ source, seen }]);
    return this.routes.at(source, seen);
  }
}

/** Routes in a form that is easily compared: enabled pipelines as id and version, disabled ones as ids. */
export const shown = ({ lanes }: SourceRoutes) =>
  lanes.map(({ lane, pipelines, disabled }) => ({
    lane,
    pipelines: pipelines.map(({ state }) => `${state.id}@${String(state.version)}`),
    disabled,
  }));
