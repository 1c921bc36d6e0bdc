const DAY_MS = 86_400_000;
/** Longer than anybody waits for an answer. */
const QUERIES_MS = 15 * 60_000;
/** Routers take them over into their store at once. */
const REFUSED_MS = 7 * DAY_MS;
/** Long enough for a reader of the live events to come back after a restart of its gateway. */
const LIVE_MS = 15 * 60_000;

/** What a topic promises; the log's adapters take this as it stands. */
export interface Topic {
  readonly name: string;
  readonly partitions: number;
  /** `compact`: the last value of each key for ever; a number: milliseconds; `forever`. */
  readonly retention: 'compact' | 'forever' | number;
}

/** Names of the topics, by what stands in them. */
export const TOPIC = {
  /** Requests to the pipeline service that change something, by the id of the object. */
  commands: 'commands',
  /** Requests to the pipeline service that change nothing of the configuration. */
  queries: 'queries',
  /** Requests to the event routers, which change nothing of the configuration. */
  routerQueries: 'queries.router',
  /** Requests to the run executors, which change nothing of the configuration. */
  executorQueries: 'queries.executor',
  /** Answers to all four, by the gateway instance that sent the request. */
  replies: 'replies',
  /** Every configuration fact in commit order, for ever: the audit. */
  configuration: 'configuration',
  /** The newest state of each configuration object, compacted: what replicas start from and follow. */
  configurationState: 'configuration.state',
  /** Accepted events, by order key. */
  events: 'events',
  /** How every delivery of an event ended, in order for each partition of `events`. */
  outcomes: 'outcomes',
  /** Everything that happens to runs, in order for each pipeline, for ever. */
  runs: 'runs',
  /** Requests to the run executors to start or cancel a run, by pipeline. */
  runCommands: 'runs.commands',
  /** Everything that happens to profiles, in order for each profile, for ever. */
  profiles: 'profiles',
  /** Events that were refused at intake, or found to be another body under a known message id; not all of a flood. */
  refusedEvents: 'events.refused',
  /** Samples of events as they pass and of what becomes of them, while somebody watches. */
  live: 'live',
  /** What is watched: announced by the gateways, followed by the routers. */
  liveInterest: 'live.interest',
  /** On Kafka: names the installation that the topics belong to (docs/adr/0016). */
  installation: 'installation',
} as const;

/**
 * Most characters of a prefix of the topics: with it, the longest name has the 249 characters that Kafka allows.
 * One name ends with another one, `runs.commands` with `commands`: no prefix ends in `runs.`, so that two prefixes never
 * give two topics one name.
 */
export const MAX_TOPIC_PREFIX = 230;

/** How many partitions the topics have; chosen once for an installation. */
export interface PartitionCounts {
  readonly events: number;
  readonly commands: number;
  readonly queries: number;
  readonly replies: number;
}

/** For several processes on Kafka (docs/adr/0007), and for the embedded default on one machine. */
export const PARTITIONS = {
  distributed: { events: 16, commands: 16, queries: 8, replies: 8 },
  embedded: { events: 8, commands: 4, queries: 4, replies: 1 },
} as const satisfies Record<string, PartitionCounts>;

/** Enough for the readers of a large installation to share them; as it never changes, it is the same everywhere. */
const PROFILES = 8;

/**
 * All topics of an installation, without the mark of their owner, which the log makes.
 *
 * The two configuration topics have one partition each: a total order makes "how much configuration has been
 * seen" a single number (docs/adr/0003). So do those of the live events, whose offset is the id of a sample, and that
 * of runs, whose last record says how far it was published.
 *
 * @param eventsRetentionMs how long accepted events are kept, and how they ended; longer than the retry budget of
 *   deliveries.
 */
export const topics = (
  counts: PartitionCounts,
  eventsRetentionMs: number = 30 * DAY_MS,
): Topic[] => [
  { name: TOPIC.commands, partitions: counts.commands, retention: DAY_MS },
  { name: TOPIC.queries, partitions: counts.queries, retention: QUERIES_MS },
  { name: TOPIC.routerQueries, partitions: counts.queries, retention: QUERIES_MS },
  { name: TOPIC.executorQueries, partitions: counts.queries, retention: QUERIES_MS },
  { name: TOPIC.replies, partitions: counts.replies, retention: QUERIES_MS },
  { name: TOPIC.configuration, partitions: 1, retention: 'forever' },
  { name: TOPIC.configurationState, partitions: 1, retention: 'compact' },
  { name: TOPIC.events, partitions: counts.events, retention: eventsRetentionMs },
  { name: TOPIC.outcomes, partitions: counts.events, retention: eventsRetentionMs },
  { name: TOPIC.runs, partitions: 1, retention: 'forever' },
  { name: TOPIC.runCommands, partitions: counts.queries, retention: DAY_MS },
  { name: TOPIC.profiles, partitions: PROFILES, retention: 'forever' },
  { name: TOPIC.refusedEvents, partitions: 1, retention: REFUSED_MS },
  { name: TOPIC.live, partitions: 1, retention: LIVE_MS },
  { name: TOPIC.liveInterest, partitions: 1, retention: LIVE_MS },
];
