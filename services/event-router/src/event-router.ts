import {
  type ConfigurationReplica,
  type HealthReport,
  type PipelineId,
  RoutingReplica,
  Suppressions,
  TOPIC,
} from '@penstock/contracts';
import type { MessageLog, PartitionReader } from '@penstock/messaging';
import { ConfigurationReader } from '@penstock/platform';
import type { FunctionRunner } from '@penstock/transformations';
import { AlertsOfProcess } from './alerts/alerts-of-process';
import type { NotificationSenderContext } from './alerts/notification-sender';
import { Engine } from './engine';
import { HealthReporter } from './health/health-reporter';
import { OwnObservations } from './health/own-observations';
import type { RouterOptions } from './lanes/router.options';
import { LiveEvents } from './live/live-events';
import type { LiveSamplesContext } from './live/live-samples';
import { ConservationCheck } from './metrics/conservation-check';
import { RollUp } from './metrics/roll-up';
import { Erasure } from './outcomes/erasure';
import { OutcomeRelay } from './outcomes/outcome-relay';
import type { LeaseState } from './ownership/lease-state';
import { Ownership } from './ownership/ownership';
import { StuckPartitions } from './ownership/stuck-partitions';
import { RefusedEvents } from './refused/refused-events';
import type { RefusedEventsTable } from './refused/refused-events-table';
import { Routes, type RoutesDependencies } from './routing/routes';
import type { Destinations } from './sending/destination';
import type { RouterStore } from './store/router-store';
import type { Clock } from './time/clock';
import { useLog } from './use-log';
import { RouterFault } from './faults/router-fault';
import type { RouterSpans } from './telemetry/router-spans';

const SWEEP_MS = 30 * 60_000;
const LIVE_MS = 1_000;
const ROLL_UP_MS = 60_000;
const LEASES_MS = 1_000;

export interface RouterDependencies {
  readonly clock: Clock;
  readonly log: MessageLog;
  readonly store: RouterStore;
  readonly functions: FunctionRunner;
  readonly options: RouterOptions;
  readonly historySource: RoutesDependencies['historySource'];
  /** Sends to the pipeline service what routers have observed of a connection or a pipeline. */
  readonly reportHealth: (report: HealthReport) => Promise<void>;
  /** Keyed hash of a user's id; suppressions store only the hash. */
  readonly keyedHash: (text: string) => string;
  readonly destinations: (replica: ConfigurationReplica) => Destinations;
  /** Sends notifications to the webhooks of alerts. */
  readonly notify: (replica: ConfigurationReplica) => NotificationSenderContext['send'];
  /** The refused events that are kept. */
  readonly refusedEvents: RefusedEventsTable;
  /** Seals events that are sampled or were refused. */
  readonly seal: (replica: ConfigurationReplica) => LiveSamplesContext['seal'];
  /** The label of a connector by its code; `integrations` of an event may use either. */
  readonly labelOf: (connector: string) => string;
  readonly onError: (error: unknown) => void;
  /** Absent where telemetry is off. */
  readonly spans?: RouterSpans | undefined;
}

const SWEEP_FAULT =
  'expired dead letters, outcomes and message ids cannot be deleted from PostgreSQL; trying again later';
const ROLL_UP_FAULT =
  'counts of past minutes cannot be merged in PostgreSQL; trying again in a minute';
const CONSERVATION_FAULT = 'the counts of pipelines cannot be checked in PostgreSQL; trying again';
const ALERTS_FAULT =
  'alerts cannot be evaluated in PostgreSQL, so that their notifications come late; trying again';
const ERASURE_FAULT =
  'stored events of suppressed users cannot be erased from PostgreSQL; trying again later';
const REFUSED_ERASURE_FAULT =
  'refused events of suppressed users cannot be erased from PostgreSQL; trying again later';

const routesOf = (
  { historySource, labelOf, onError }: RouterDependencies,
  replica: RoutingReplica,
  caughtUp: () => Promise<void>,
): Routes =>
  new Routes({
    replica,
    historySource,
    labelOf,
    caughtUp,
    onBeyondEnd: ({ seen, end }) => {
      onError(
        new Error(
          `events name configuration position ${seen}, but the topic ${TOPIC.configurationState} ends at ${end}: they are ` +
            'routed by the newest configuration. Was the database restored from an older backup than the log?',
        ),
      );
    },
  });

/** Reads the partitions of the events topic that it has leased and delivers every event to its destinations. */
export class EventRouter {
  readonly engine: Engine;
  /** The configuration as this process has applied it. */
  readonly replica = new RoutingReplica();
  /** Where events go, by the configuration at their stamps. */
  readonly routes: Routes;
  readonly suppressions: Suppressions;
  readonly conservation: ConservationCheck;
  private readonly rollUp: RollUp;
  private readonly ownership: Ownership;
  private readonly erasure: Erasure;
  private readonly healthReporter: HealthReporter;
  private readonly alerts: AlertsOfProcess;
  private readonly stuck = new StuckPartitions();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly configuration: ConfigurationReader;
  private readonly live: LiveEvents;
  private readonly destinations: Destinations;
  private readonly refused: RefusedEvents;
  private reader: PartitionReader | undefined;
  private relay: OutcomeRelay | undefined;

  constructor(private readonly deps: RouterDependencies) {
    const { clock, store, options, log, onError } = deps;
    const { replica } = this;
    this.configuration = new ConfigurationReader(log, replica, onError);
    this.suppressions = new Suppressions(replica, deps.keyedHash);
    this.routes = routesOf(deps, replica, () => this.caughtUp());
    const [table, seal] = [deps.refusedEvents, deps.seal(replica)];
    this.live = new LiveEvents({ clock, log, seal, onError });
    this.refused = new RefusedEvents({ ...deps, replica, table, seal });
    const { routes, suppressions } = this;
    this.destinations = deps.destinations(replica);
    this.engine = new Engine({
      clock,
      store,
      options,
      replica,
      routes,
      suppressions,
      destinations: this.destinations,
      functions: deps.functions,
      read: (...stretch) => log.read(TOPIC.events, ...stretch),
      reader: {
        start: (...place) => this.reader?.start(...place),
        stop: async (partition) => this.reader?.stop(partition),
      },
      holds: (partition) => this.ownership.holds(partition),
      onLeaseLost: (grant) => {
        this.ownership.lose(grant);
      },
      spans: deps.spans,
      live: this.live.samples,
      onDifferentBody: (incoming) => {
        this.refused.differentBody(incoming);
      },
      onError,
    });
    this.ownership = new Ownership(store, clock, options, this.engine, onError);
    this.healthReporter = this.makeHealthReporter();
    this.rollUp = new RollUp(store, clock);
    const send = deps.notify(replica);
    this.alerts = new AlertsOfProcess({
      ...{ clock, store, replica, send, onError },
      pollMs: options.polling.notificationsMs,
      measureMs: options.polling.measuresMs,
    });
    this.conservation = new ConservationCheck({ store, replica, onError });
    this.erasure = new Erasure(replica, suppressions, store, () => clock.nowMs());
  }

  /** Resolves when the configuration has been read and the router has begun to acquire its share of the partitions. */
  async start(): Promise<void> {
    const { clock, log, store, options, onError } = this.deps;
    const { polling } = options;
    await store.prepare();
    await useLog(log, store, options.eventsFrom);
    await this.configuration.start();
    await this.caughtUp();
    this.reader = await log.readPartitions({
      topic: TOPIC.events,
      onBatch: (...batch) => this.engine.onBatch(...batch),
    });
    this.live.start();
    this.refused.start();
    this.engine.start();
    this.ownership.start(await log.partitionsOf(TOPIC.events));
    const owned = () =>
      [...this.engine.ownedPartitions].map(({ number, epoch }) => ({ partition: number, epoch }));
    this.relay = new OutcomeRelay({
      ...{ clock, store, log, owned, onError },
      pollMs: polling.outcomesMs,
    });
    this.relay.start();
    this.healthReporter.start();
    this.alerts.start();
    this.timers.push(
      setInterval(() => {
        this.stuck.look(this.leases, this.deps.clock.nowMs());
      }, LEASES_MS),
      setInterval(() => {
        this.live.lookAfter();
      }, LIVE_MS),
    );
    this.every(SWEEP_MS, () => store.sweep(), SWEEP_FAULT);
    this.attempt(() => this.rollUp.run(), ROLL_UP_FAULT);
    this.every(ROLL_UP_MS, () => this.rollUp.run(), ROLL_UP_FAULT);
    this.every(polling.conservationMs, () => this.conservation.look(), CONSERVATION_FAULT);
    this.every(polling.alertsMs, () => this.alerts.evaluate(), ALERTS_FAULT);
    this.every(polling.erasuresMs, () => this.erasure.run(), ERASURE_FAULT);
    this.every(polling.erasuresMs, () => this.refused.erase(), REFUSED_ERASURE_FAULT);
  }

  /** Finishes what is in flight, commits, hands its partitions over. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const merged = this.rollUp.stop();
    const relayed = this.relay?.stop();
    const reported = this.healthReporter.stop();
    const rest = [this.live.stop(), this.refused.stop(), this.alerts.stop()];
    await this.ownership.stop();
    await this.reader?.close();
    this.engine.stop();
    this.destinations.close();
    await this.configuration.stop();
    await Promise.all([merged, relayed, reported, ...rest]);
  }

  /** The state of each partition's lease in this process. */
  get leases(): ReadonlyMap<number, LeaseState> {
    return this.ownership.states();
  }

  /** Milliseconds for which appending outcomes to the log has failed; 0: the last attempt succeeded. */
  get outcomesFailingMs(): number {
    return this.relay?.failingMs ?? 0;
  }

  /** How the destination of a pipeline orders deliveries, by the configuration that this process has applied. */
  orderingOf(pipeline: PipelineId): 'key' | 'none' {
    const connection = this.replica.pipelineHead(pipeline)?.connection;
    return (connection && this.replica.connection(connection)?.delivery?.ordering) ?? 'key';
  }

  /** Partitions that this process has been acquiring or releasing for at least `forMs` milliseconds. */
  stuckPartitions(forMs: number): readonly number[] {
    return this.stuck.since(forMs, this.deps.clock.nowMs());
  }

  /** Resolves when this process has applied what the log held at the call. Rejects while the configuration is not being read. */
  async caughtUp(): Promise<void> {
    if (!(await this.configuration.catchUp())) throw new Error('the configuration is not read now');
  }

  private makeHealthReporter(): HealthReporter {
    const { clock, store, reportHealth: report, onError } = this.deps;
    const { polling } = this.deps.options;
    const { replica } = this;
    const { lanes, committer } = this.engine;
    const recordedOf = (id: string) => replica.healths.get(id)?.code ?? '';
    const { rejections } = committer;
    const versionOf = (id: PipelineId) => replica.pipeline(id)?.version;
    const own = new OwnObservations({ clock, lanes, rejections, recordedOf, versionOf });
    return new HealthReporter({
      ...{ clock, store, replica, look: () => own.look(), report, onError },
      pollMs: polling.healthMs,
      healthyMs: polling.healthyMs,
    });
  }

  private every(periodMs: number, work: () => Promise<void>, fault: string): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      this.attempt(() => work().finally(() => (isRunning = false)), fault);
    }, periodMs);
    this.timers.push(timer);
  }

  /** @param fault what is reported when the work rejects. */
  private attempt(work: () => Promise<void>, fault: string): void {
    work().catch((error: unknown) => {
      this.deps.onError(new RouterFault(fault, {}, error));
    });
  }
}
