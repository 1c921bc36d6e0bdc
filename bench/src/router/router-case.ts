import type { Behaviour } from './counter';

/** One case of the way from intake to destinations. */
export interface RouterCase {
  readonly name: string;
  readonly log: 'embedded' | 'kafka';
  /** Routers in processes of their own, on Kafka; default 1. */
  readonly routers?: number;
  /** Number of destinations, each of which gets every event, unless {@link isSpread}; default: 1. */
  readonly destinations?: number;
  /** Whether each event goes to only one of the destinations. */
  readonly isSpread?: boolean;
  /** Number of further pipelines of the source, whose filters match other events; default: 0. */
  readonly others?: number;
  readonly transformation?: 'mapping' | 'JavaScript';
  /** Events per request to intake; default: 100. */
  readonly eventsPerRequest?: number;
  /** Events per request to a destination; default: 100. */
  readonly batchSize?: number;
  /** Events to send at full speed, per second of the measurement; 0: only the steady load. */
  readonly eventsEachSecond: number;
  /** Events per second of the steady load; default: half of the rate delivered at full speed. */
  readonly rate?: number;
  /** Clients that watch the live events meanwhile; default: 0. */
  readonly watchers?: number;
  /** Whether telemetry is exported, with every request sampled by this ratio; absent: telemetry is off. */
  readonly sampled?: number;
  /** Whether a second destination fails at first and catches up under load. */
  readonly isAway?: boolean;
  /** Whether the last destinations are linked later and have troubles, to measure the effect on the others. */
  readonly isTroubled?: boolean;
  /** Whether the events that were sent at full speed are replayed. */
  readonly isReplayed?: boolean;
  /**
   * Whether another workspace floods the installation and runs endless functions, to measure the effect on this one.
   */
  readonly isFlooded?: boolean;
  /** Whether the events, and the identities in them, are written into the warehouse too. */
  readonly isWritten?: boolean;
  /** Whether an import runs meanwhile, to measure the effect on the events. */
  readonly isBesideImport?: boolean;
}

/**
 * Behaviours of the last destinations of a troubled case; the last one takes one request per second by its settings.
 */
export const TROUBLES: readonly Behaviour[] = ['hanging', 'failing', 'throttling', 'well'];

/** Number of destinations that are linked from the beginning. */
export const linkedAtFirst = ({ destinations = 1, isTroubled = false }: RouterCase): number =>
  isTroubled ? destinations - TROUBLES.length : destinations;

const embedded = { log: 'embedded' } as const;
const kafka = { log: 'kafka' } as const;
const besideImport = {
  isBesideImport: true,
  eventsPerRequest: 1,
  eventsEachSecond: 0,
  rate: 1_000,
} as const;

/** The cases of `npm run bench -- router`. */
export const ROUTER_CASES: readonly RouterCase[] = [
  { ...embedded, name: 'plain', eventsEachSecond: 10_000 },
  { ...embedded, name: 'plain-traced', sampled: 0.01, eventsEachSecond: 10_000 },
  { ...embedded, name: 'plain-traced-all', sampled: 1, eventsEachSecond: 5_000 },
  { ...embedded, name: 'destinations-10', destinations: 10, eventsEachSecond: 1_500 },
  { ...embedded, name: 'destinations-100', destinations: 100, eventsEachSecond: 150 },
  {
    ...embedded,
    name: 'spread-100',
    destinations: 100,
    isSpread: true,
    eventsEachSecond: 5_000,
  },
  { ...embedded, name: 'pipelines-10', others: 9, eventsEachSecond: 10_000 },
  { ...embedded, name: 'pipelines-1000', others: 999, eventsEachSecond: 2_000 },
  { ...embedded, name: 'requests-of-1', batchSize: 1, eventsEachSecond: 3_000 },
  { ...embedded, name: 'javascript', transformation: 'JavaScript', eventsEachSecond: 2_000 },
  {
    ...embedded,
    name: 'javascript-long',
    transformation: 'JavaScript',
    eventsEachSecond: 10_000,
  },
  { ...embedded, name: 'single-1000', eventsPerRequest: 1, eventsEachSecond: 0, rate: 1_000 },
  { ...embedded, name: 'steady-12000', eventsEachSecond: 0, rate: 12_000 },
  {
    ...embedded,
    name: 'catch-up',
    destinations: 2,
    isAway: true,
    eventsEachSecond: 0,
    rate: 2_000,
  },
  {
    ...embedded,
    name: 'isolation',
    destinations: 24,
    isSpread: true,
    isTroubled: true,
    eventsEachSecond: 5_000,
  },
  {
    ...embedded,
    name: 'flood',
    isFlooded: true,
    eventsPerRequest: 1,
    eventsEachSecond: 0,
  },
  {
    ...embedded,
    name: 'flood-functions',
    isFlooded: true,
    transformation: 'JavaScript',
    eventsPerRequest: 1,
    eventsEachSecond: 0,
  },
  {
    ...embedded,
    name: 'warehouse',
    destinations: 0,
    isWritten: true,
    eventsEachSecond: 5_000,
  },
  { ...embedded, name: 'beside-import', ...besideImport },
  { ...kafka, name: 'kafka-beside-import', ...besideImport },
  { ...embedded, name: 'replay', isReplayed: true, eventsEachSecond: 10_000 },
  { ...kafka, name: 'kafka-replay', isReplayed: true, eventsEachSecond: 7_000 },
  { ...kafka, name: 'kafka', eventsEachSecond: 7_000 },
  { ...kafka, name: 'kafka-watched', watchers: 200, eventsEachSecond: 7_000 },
  { ...kafka, name: 'kafka-two-routers', routers: 2, eventsEachSecond: 7_000 },
  { ...kafka, name: 'kafka-javascript', transformation: 'JavaScript', eventsEachSecond: 2_000 },
  {
    ...kafka,
    name: 'kafka-catch-up',
    destinations: 2,
    isAway: true,
    eventsEachSecond: 0,
    rate: 2_000,
  },
];
