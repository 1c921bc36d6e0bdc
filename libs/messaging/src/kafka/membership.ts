import { type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/**
 * Part of kafkajs' internals (2.2.4: `src/consumer/consumerGroup.js`). kafkajs offers no awaited step before a member
 * gives up its partitions: the events REBALANCING and GROUP_JOIN come afterwards. Every (re)join begins with
 * `cluster.findGroupCoordinator`, and an assigner's factory receives that cluster, which serves a single consumer.
 */
interface ClusterInternals {
  findGroupCoordinator(request: unknown): Promise<Coordinator>;
}

interface Coordinator {
  joinGroup(request: unknown): Promise<unknown>;
  syncGroup(request: unknown): Promise<unknown>;
  heartbeat(request: unknown): Promise<unknown>;
  leaveGroup(request: unknown): Promise<unknown>;
}

/**
 * An error that makes kafkajs rejoin. After any other retriable error of a join, such as a coordinator that is still
 * loading, kafkajs keeps fetching and sending heartbeats as the previous member, which the brokers accept: it would
 * stay without an assignment for good.
 */
class JoinAgain extends Error {
  override readonly name = 'JoinAgain';
  readonly type = 'REBALANCE_IN_PROGRESS';
  readonly retriable = true;
}

const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'retriable' in error && error.retriable === true;

const joiningAgain = async <T>(step: () => Promise<T>): Promise<T> => {
  try {
    return await step();
  } catch (cause) {
    throw isPassing(cause) ? new JoinAgain('the group could not be joined', { cause }) : cause;
  }
};

/** Wraps the coordinator of a consumer's group. */
class Membership {
  private readonly guarded = new WeakSet<Coordinator>();
  private isMember = false;

  constructor(private readonly release: () => Promise<void>) {}

  /** Runs at the start of every (re)join. */
  async begin(find: () => Promise<Coordinator>): Promise<Coordinator> {
    await this.release();
    this.isMember = false;
    const coordinator = await joiningAgain(find);
    if (!this.guarded.has(coordinator)) this.guard(coordinator);
    this.guarded.add(coordinator);
    return coordinator;
  }

  private guard(coordinator: Coordinator): void {
    const join = coordinator.joinGroup.bind(coordinator);
    const sync = coordinator.syncGroup.bind(coordinator);
    const beat = coordinator.heartbeat.bind(coordinator);
    const leave = coordinator.leaveGroup.bind(coordinator);
    coordinator.joinGroup = (joining) => joiningAgain(() => join(joining));
    coordinator.syncGroup = async (syncing) => {
      const assignment = await joiningAgain(() => sync(syncing));
      this.isMember = true;
      return assignment;
    };
    coordinator.heartbeat = async (beating) => {
      if (!this.isMember) throw new JoinAgain('the last join of the group was not finished');
      return beat(beating);
    };
    coordinator.leaveGroup = async (leaving) => {
      await this.release();
      return leave(leaving);
    };
  }
}

/**
 * Creates an assigner (round robin) that awaits `release` before the member joins, rejoins or leaves.
 *
 * With Kafka's eager protocol the coordinator assigns partitions only when every member has rejoined, so nobody gets a
 * partition of this member while `release` runs. Two exceptions: the coordinator waits for a member no longer than the
 * rebalance timeout, and a member that is cut off is removed from the group after the session timeout; then others may
 * start before `release` has ended.
 */
export const releasingBefore =
  (release: () => Promise<void>): PartitionAssigner =>
  (config) => {
    const cluster = config.cluster as unknown as ClusterInternals;
    const find = cluster.findGroupCoordinator.bind(cluster);
    const membership = new Membership(release);
    cluster.findGroupCoordinator = (request) => membership.begin(() => find(request));
    return PartitionAssigners.roundRobin(config);
  };

interface JoinRequest {
  readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
}

interface SyncRequest {
  readonly groupAssignment: readonly { readonly memberAssignment: Buffer }[];
}

interface OffsetRequest {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number }[];
  }[];
}

const MEMBER = 'reader';

/** Simulates the coordinator of a group of one without committed offsets; the brokers are not involved. */
const localCoordinator = {
  isConnected: () => true,
  joinGroup: ({ groupProtocols }: JoinRequest) =>
    Promise.resolve({
      generationId: 1,
      leaderId: MEMBER,
      memberId: MEMBER,
      groupProtocol: groupProtocols[0]?.name,
      members: [{ memberId: MEMBER, memberMetadata: groupProtocols[0]?.metadata }],
    }),
  syncGroup: ({ groupAssignment }: SyncRequest) =>
    Promise.resolve({ memberAssignment: groupAssignment[0]?.memberAssignment }),
  offsetFetch: ({ topics }: OffsetRequest) =>
    Promise.resolve({
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset: '-1' })),
      })),
    }),
  offsetCommit: () => Promise.resolve({}),
  heartbeat: () => Promise.resolve({}),
  leaveGroup: () => Promise.resolve({}),
};

/**
 * Creates an assigner that gives the consumer all partitions without a group on the brokers: no rebalances to wait for,
 * nothing to clean up, and no permission on groups needed.
 */
export const withoutGroup =
  (release: () => Promise<void>): PartitionAssigner =>
  (config) => {
    const cluster = config.cluster as unknown as ClusterInternals;
    cluster.findGroupCoordinator = async () => {
      await release();
      return localCoordinator;
    };
    return PartitionAssigners.roundRobin(config);
  };
