import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventRouter } from './event-router';

/** A gauge without labels. */
const gauge = (registry: Registry, name: string, help: string, value: () => number): void => {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
};

/** A gauge with one label, whose values are replaced at each scrape. */
const gauges = (
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  values: () => Iterable<readonly [string, number]>,
): void => {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, number] of values()) this.set({ [label]: value }, number);
    },
  });
};

/** A counter with one label, of numbers that are kept elsewhere. */
const counters = (
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  values: () => Iterable<readonly [string, number]>,
): void => {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, number] of values()) this.inc({ [label]: value }, number);
    },
  });
};

/** A counter without labels, of a number that is kept elsewhere. */
const counter = (registry: Registry, name: string, help: string, value: () => number): void => {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
};

/** Destinations with a value of their own: those with the highest, so that there are few whatever is configured. */
const MAX_DESTINATIONS = 100;

const highest = (values: Iterable<readonly [string, number]>): (readonly [string, number])[] =>
  [...values].sort(([, one], [, other]) => other - one).slice(0, MAX_DESTINATIONS);

/** In seconds: from a healthy destination to a day of retries. */
const DELIVERY_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];
const COMMIT_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const registerTimes = ({ engine }: EventRouter, registry: Registry): void => {
  const registers = [registry];
  const deliveries = new Histogram({
    name: 'penstock_router_delivery_seconds',
    help: 'Seconds from the receipt of an event to its delivery, wrong by at most 5 %',
    buckets: DELIVERY_BOUNDS,
    registers,
  });
  const commits = new Histogram({
    name: 'penstock_router_commit_seconds',
    help: 'Seconds that the transactions of commits have taken',
    buckets: COMMIT_BOUNDS,
    registers,
  });
  engine.observed = {
    onDelivered: (latencyMs, count) => {
      for (let each = 0; each < count; each += 1) deliveries.observe(latencyMs / 1_000);
    },
    onCommitted: (tookMs) => {
      commits.observe(tookMs / 1_000);
    },
  };
  counter(
    registry,
    'penstock_router_retries_total',
    'Requests beyond the first, of the deliveries that this process has ended',
    () => engine.committer.totals.retries,
  );
};

const registerTotals = ({ engine }: EventRouter, registry: Registry): void => {
  counters(
    registry,
    {
      name: 'penstock_router_events_total',
      help: 'Events that this process has routed, by kind; each is counted once for its source',
      label: 'kind',
    },
    () => engine.committer.totals.events,
  );
  counters(
    registry,
    {
      name: 'penstock_router_deliveries_total',
      help: 'Deliveries that this process has opened (Matched), ended, by state, or ended anew (Redriven: an earlier ending is taken back)',
      label: 'state',
    },
    () => engine.committer.totals.deliveries,
  );
};

const countsOf = (values: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

const registerSingle = (router: EventRouter, registry: Registry): void => {
  const { engine } = router;
  gauge(
    registry,
    'penstock_router_commits_failing_seconds',
    'Seconds for which no commit has succeeded although there was one to make',
    () => engine.committer.failingMs / 1_000,
  );
  gauge(
    registry,
    'penstock_router_outcomes_failing_seconds',
    'Seconds for which outcomes of deliveries could not be put on the log',
    () => router.outcomesFailingMs / 1_000,
  );
  gauge(
    registry,
    'penstock_router_live_lag_seconds',
    'Seconds by which live reading is behind what is appended',
    () => engine.liveLagMs / 1_000,
  );
  gauge(
    registry,
    'penstock_router_open_deliveries',
    'Deliveries that have not ended, of the partitions of this process, without those in the store',
    () => [...engine.ownedPartitions].reduce((sum, { open }) => sum + open.size, 0),
  );
  gauge(
    registry,
    'penstock_router_unbalanced_pipelines',
    'Pipelines whose open deliveries are not those that are counted, of the checked ones: must be 0',
    () => router.conservation.unbalanced,
  );
  gauge(
    registry,
    'penstock_router_detached_lane_parts',
    'Lanes that stand below the live reader, counted once for each partition',
    () => engine.catchUp.parts.size,
  );
};

/** Registers the router's metrics. Their labels are bounded: partitions, states, kinds, and a hundred destinations. */
export const registerRouterMetrics = (router: EventRouter, registry: Registry): void => {
  const { engine } = router;
  registerSingle(router, registry);
  registerTotals(router, registry);
  registerTimes(router, registry);
  gauges(
    registry,
    { name: 'penstock_router_memory_bytes', help: 'Bytes in memory by kind', label: 'kind' },
    () => Object.entries(engine.budget.usedByKind),
  );
  gauges(
    registry,
    {
      name: 'penstock_router_oldest_waiting_seconds',
      help: 'Age of the oldest event of a partition that a destination was not given, or has not ended',
      label: 'partition',
    },
    () => [...engine.oldest.agesMs].map(([number, ms]) => [String(number), ms / 1_000] as const),
  );
  gauges(
    registry,
    {
      name: 'penstock_router_leases',
      help: 'Partitions by the state of their lease with this process',
      label: 'state',
    },
    () => countsOf(router.leases.values()),
  );
  gauges(registry, { name: 'penstock_router_lanes', help: 'Lanes by state', label: 'state' }, () =>
    countsOf([...engine.lanes].map(({ health }) => health.state)),
  );
  gauges(
    registry,
    {
      name: 'penstock_router_lane_deliveries',
      help: 'Deliveries in memory, by destination connection, or warehouse of a workspace: of the 100 destinations with the most',
      label: 'connection',
    },
    () =>
      highest(engine.lanes.live.map(({ destination, length }) => [destination, length] as const)),
  );
  gauges(
    registry,
    {
      name: 'penstock_router_lane_lag_events',
      help: 'Offsets of the events topic that a lane has not been given, by destination connection, or warehouse of a workspace: of the 100 that are furthest behind',
      label: 'connection',
    },
    () =>
      highest(engine.lanes.live.map(({ destination, parts }) => [destination, parts.lag] as const)),
  );
};
