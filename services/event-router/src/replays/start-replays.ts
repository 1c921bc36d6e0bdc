import {
  type HistorySource,
  type ReplayedRun,
  type RoutingReplica,
  Suppressions,
} from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { DeliverySettings } from '@penstock/platform';
import { type Logger, Outages, type SecretBox } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { RouterFault } from '../faults/router-fault';
import { ROUTER_DEFAULTS, type RouterPolling } from '../lanes/router.options';
import { REQUESTS_ENDED_MS } from '../outcomes/erasure';
import { Routes } from '../routing/routes';
import { Database } from '../store/postgres/sql/database';
import { SystemClock } from '../time/clock';
import { ExampleErasure } from './example-erasure';
import { ReplayCreation } from './replay-creation';
import { PostgresRecordedOutcomes } from './postgres-recorded-outcomes';
import { PostgresReplayLeases } from './postgres-replay-leases';
import { ReplayTelling } from './replay-telling';
import { Replays } from './replays';
import { ReplayWorker } from './replay-worker';

export interface ReplaysDependencies {
  readonly log: MessageLog;
  readonly pool: Pool;
  readonly secrets: Pick<SecretBox, 'keyedHash'>;
  readonly functions: FunctionRunner;
  readonly history: HistorySource;
  readonly delivery: Pick<DeliverySettings, 'eventsRetentionMs'>;
  readonly logger: Logger;
  /** The configuration as this process has applied it. */
  readonly replica: RoutingReplica;
  readonly caughtUp: () => Promise<void>;
  /** The label of a connector by its code. */
  readonly labelOf: (connector: string) => string;
  readonly liveLagMs: () => number;
  readonly polling: RouterPolling;
  /** Tells the executors of a replay. Rejects when there is no answer. */
  readonly recordReplay: (replay: ReplayedRun) => Promise<void>;
}

export interface RunningReplays {
  readonly creation: ReplayCreation;
  readonly telling: ReplayTelling;
  /** Gives up the slice in progress; its replay is taken over by another router. */
  stop(): Promise<void>;
}

const LEASE_MS = 10_000;
const SWEEP_MS = 30 * 60_000;
/** Days for which replays are kept after they have ended. */
const KEPT_DAYS = 14;

const ERASURE_FAULT =
  'examples of suppressed users that replays keep cannot be erased from PostgreSQL; trying again later';
const TELLING_FAULT =
  'replays cannot be shown as runs, since no run executor answers or PostgreSQL is away; trying again';
const SWEEP_FAULT = 'expired replays cannot be deleted from PostgreSQL; trying again later';

/** Starts working on replays, with routes of its own: old events do not displace those of new ones. */
export const startReplays = (dependencies: ReplaysDependencies): RunningReplays => {
  const { log, pool, secrets, replica, caughtUp, delivery, liveLagMs, functions } = dependencies;
  const { recordReplay, polling } = dependencies;
  const outages = new Outages(dependencies.logger);
  const onError = (err: unknown): void => {
    outages.report({ what: err instanceof Error ? err.message : String(err), err });
  };
  const clock = new SystemClock();
  const suppressions = new Suppressions(replica, (text) => secrets.keyedHash(text));
  const { history, labelOf } = dependencies;
  // The live reader reports stamps beyond the end of the configuration.
  const onBeyondEnd = (): void => undefined;
  const routes = new Routes({ replica, historySource: history, caughtUp, labelOf, onBeyondEnd });
  const database = new Database(pool);
  const leases = new PostgresReplayLeases(database, randomUUID(), LEASE_MS);
  const recorded = new PostgresRecordedOutcomes(database);
  const { backoffBaseMs, backoffCapMs } = ROUTER_DEFAULTS;
  const backoff = { backoffBaseMs, backoffCapMs };
  const context = { clock, log, replica, routes, suppressions, leases, functions, liveLagMs };
  const worker = new ReplayWorker(
    { ...context, recorded, backoff, onError },
    onError,
    polling.replaysMs,
  );
  const erasures = (['replay_differences', 'replay_failures'] as const).map(
    (table) => new ExampleErasure(pool, table, replica, suppressions, REQUESTS_ENDED_MS),
  );
  const replays = new Replays(pool);
  const every = (periodMs: number, what: string, work: () => Promise<void>) =>
    setInterval(() => {
      work().catch((error: unknown) => {
        onError(new RouterFault(what, {}, error));
      });
    }, periodMs);
  const timers = [
    ...erasures.map((erasure) => every(polling.erasuresMs, ERASURE_FAULT, () => erasure.run())),
    every(SWEEP_MS, SWEEP_FAULT, () => replays.sweep(KEPT_DAYS)),
  ];
  const telling = new ReplayTelling({
    clock,
    pool,
    record: recordReplay,
    pollMs: polling.reportsMs,
    knownPipeline: (id) => replica.pipelineHead(id),
    onError: (error) => {
      onError(new RouterFault(TELLING_FAULT, {}, error));
    },
  });
  worker.start();
  telling.start();
  const retentionMs = delivery.eventsRetentionMs;
  const wallMs = (): number => clock.wallMs();
  return {
    creation: new ReplayCreation({ log, retentionMs, wallMs, replica, routes, caughtUp }),
    telling,
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([worker.stop(), telling.stop()]);
    },
  };
};
