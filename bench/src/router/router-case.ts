import type { Behaviour } from './counter';

/** One thing to measure of the way from intake to applications. */
export interface RouterCase {
  readonly name: string;
  readonly log: 'embedded' | 'kafka';
  /** Routers in processes of their own, on Kafka; default 1. */
  readonly routers?: number;
  /** Each takes every event, unless {@link isSpread}; default 1. */
  readonly destinations?: number;
  /** Each event goes to one of the destinations only. */
  readonly isSpread?: boolean;
  /** Further pipelines of the same source whose filters name other events; default 0. */
  readonly others?: number;
  readonly transformation?: 'mapping' | 'JavaScript';
  /** Of a request to intake; default 100. */
  readonly eventsPerRequest?: number;
  /** Of a request to a destination; default 100. */
  readonly batchSize?: number;
  /** Events to send as fast as they are taken, for each second of the measurement; 0: only at the rate. */
  readonly eventsEachSecond: number;
  /** Events a second, steadily; default half of what was delivered a second when they came as fast as they were taken. */
  readonly rate?: number;
  /** A second destination is away at first, and catches up while events go on coming. */
  readonly isAway?: boolean;
  /** The last destinations come later, and are in trouble: what that does to the others. */
  readonly isTroubled?: boolean;
  /** Another workspace floods the installation and runs endless functions: what that does to this one. */
  readonly isFlooded?: boolean;
}

/** How the last destinations of a troubled case behave; the very last one takes one request a second by its settings. */
export const TROUBLES: readonly Behaviour[] = ['hanging', 'failing', 'throttling', 'well'];

/** How many destinations are given events from the beginning. */
export const linkedAtFirst = ({ destinations = 1, isTroubled = false }: RouterCase): number =>
  isTroubled ? destinations - TROUBLES.length : destinations;

const embedded = { log: 'embedded' } as const;
const kafka = { log: 'kafka' } as const;

/** What `npm run bench -- router` measures. */
export const ROUTER_CASES: readonly RouterCase[] = [
  { ...embedded, name: 'plain', eventsEachSecond: 10_000 },
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
    rate: 50,
  },
  {
    ...embedded,
    name: 'flood-functions',
    isFlooded: true,
    transformation: 'JavaScript',
    eventsPerRequest: 1,
    eventsEachSecond: 0,
    rate: 50,
  },
  { ...kafka, name: 'kafka', eventsEachSecond: 7_000 },
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
