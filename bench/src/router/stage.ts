import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplayView } from '@penstock/contracts';
import { Api } from '../api';
import type { ChildProcess } from 'node:child_process';
import { runLoad, startHelper, stop } from '../child';
import { API_KEY, type Measured, startDistributed, startEmbedded } from '../installations';
import type { LoadResult } from '../load-generator';
import { Counter } from './counter';
import type { RouterCase } from './router-case';
import { type Configured, setUp } from './set-up';
import { openWatchers } from './watchers';

const CONNECTIONS = { single: 64, batch: 16 };
/** Time limit; deliveries that have not come by then are missing. */
const PATIENCE_MS = 180_000;
const POLL_MS = 100;
/** Time without arrivals after which no more are expected. */
const QUIET_MS = 2_000;

/** Exports telemetry, and samples requests by the ratio. */
const tracedTo = (port: number, ratio = 0): Readonly<Record<string, string>> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER_ARG: String(ratio),
});

/** Stops the helper with the installation. */
const withHelper = (installation: Measured, helper: ChildProcess): Measured => ({
  ...installation,
  stop: async () => {
    await installation.stop();
    await stop(helper);
  },
});

/** The amount of a load. */
export interface Amount {
  /** Number of events, sent at full speed; absent: rate times duration. */
  readonly events?: number;
  /** Events per second. */
  readonly rate?: number;
  readonly seconds?: number;
  /** Number of event names, used in turns; default: one for each destination of a spread case. */
  readonly names?: number;
}

/** The result of a load. */
export interface Sent extends LoadResult {
  /** Number of accepted events. */
  readonly events: number;
}

/** An installation with the configuration of one case, and its counting destinations. */
export class Stage {
  private runs = 0;

  private constructor(
    private readonly routerCase: RouterCase,
    readonly installation: Measured,
    readonly counter: Counter,
    private readonly api: Api,
    private readonly configured: Configured,
    private readonly closeWatchers: () => void,
  ) {}

  static async open(routerCase: RouterCase): Promise<Stage> {
    const { log, routers = 1, sampled, isWritten = false, isBesideImport = false } = routerCase;
    const hasWarehouse = isWritten || isBesideImport;
    const collector = sampled === undefined ? undefined : await startHelper('otlp-server');
    const more = collector === undefined ? {} : tracedTo(collector.port, sampled);
    const started = await (log === 'kafka'
      ? startDistributed(routers, more, hasWarehouse)
      : startEmbedded(more, hasWarehouse));
    const installation = collector === undefined ? started : withHelper(started, collector.process);
    const counter = await Counter.start();
    try {
      const api = new Api(`http://127.0.0.1:${installation.port}`, API_KEY);
      const configured = await setUp(api, counter, routerCase);
      const closeWatchers = await openWatchers(installation.port, routerCase.watchers ?? 0);
      return new Stage(routerCase, installation, counter, api, configured, closeWatchers);
    } catch (error) {
      await counter.stop();
      await installation.stop();
      throw error;
    }
  }

  /** Number of deliveries of this number of events. */
  private deliveries(events: number): number {
    const { destinations = 1, isSpread = false } = this.routerCase;
    return isSpread ? events : events * destinations;
  }

  /** Links a destination that was not linked. */
  async link(destination: number): Promise<void> {
    await this.configured.link(destination);
  }

  /** Creates a shadow replay of all events so far, through other values. @returns its id. */
  async createReplay(): Promise<string> {
    const { pipeline, draft } = this.configured;
    const [from, to] = ['2020-01-01T00:00:00Z', new Date().toISOString()];
    const body = { from, to, mode: 'shadow', draft };
    return (await this.api.post<{ id: string }>(`/v1/pipelines/${pipeline}/replays`, body)).id;
  }

  replay(id: string): Promise<ReplayView> {
    return this.api.get(`/v1/pipelines/${this.configured.pipeline}/replays/${id}`);
  }

  async cancelReplay(id: string): Promise<void> {
    await this.api.post(`/v1/pipelines/${this.configured.pipeline}/replays/${id}/cancel`);
  }

  /** Resets the counters and sends events. */
  async send({ events, rate, seconds = Number.MAX_SAFE_INTEGER, names }: Amount): Promise<Sent> {
    const { eventsPerRequest = 100, destinations = 1, isSpread = false } = this.routerCase;
    await this.counter.ask({ what: 'reset' });
    this.runs += 1;
    const result = await runLoad({
      port: this.installation.port,
      load: {
        stamped: {
          path: eventsPerRequest === 1 ? '/v1/track' : '/v1/batch',
          key: this.configured.key,
          eventsPerRequest,
          prefix: `run-${this.runs}-`,
          names: names ?? (isSpread ? destinations : 1),
        },
      },
      connections: eventsPerRequest === 1 ? CONNECTIONS.single : CONNECTIONS.batch,
      seconds,
      ...(rate !== undefined && { rate: rate / eventsPerRequest }),
      ...(events !== undefined && { requests: Math.ceil(events / eventsPerRequest) }),
    });
    return { ...result, events: result.requests * eventsPerRequest };
  }

  /**
   * Waits until all deliveries have arrived, or the time limit.
   *
   * Events of requests that were not answered 200 may arrive all the same, and are waited for too.
   *
   * @returns the number of missing deliveries.
   */
  async untilDelivered({ events, failed }: Sent): Promise<number> {
    const deliveries = this.deliveries(events);
    const deadlineMs = Date.now() + PATIENCE_MS;
    let distinct = await this.counter.distinct();
    for (; distinct < deliveries && Date.now() < deadlineMs; await sleep(POLL_MS))
      distinct = await this.counter.distinct();
    if (failed > 0) await this.untilQuiet();
    return Math.max(0, deliveries - distinct);
  }

  private async untilQuiet(): Promise<void> {
    for (let before = -1, now = 0; now !== before; await sleep(QUIET_MS)) {
      before = now;
      now = await this.counter.distinct();
    }
  }

  async close(): Promise<void> {
    this.closeWatchers();
    await this.installation.stop();
    await this.counter.stop();
  }
}
