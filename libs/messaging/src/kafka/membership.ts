import { type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/**
 * The one place that knows kafkajs' inside (2.2.4: `src/consumer/consumerGroup.js`), since it offers no awaited
 * step before a member gives its partitions up: its REBALANCING and GROUP_JOIN events tell after the fact. What
 * every (re)join goes through first is `cluster.findGroupCoordinator`, and the assigner's factory is handed
 * that very cluster, which serves one consumer only.
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
 * What kafkajs takes for a call to join again. After any other passing error of a join, such as a coordinator that
 * is still loading, it goes on fetching and beating as the member that it was, and the brokers let it: without an
 * assignment of ours, for good.
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

/** Stands between a consumer of kafkajs and the coordinator of its group. */
class Membership {
  private readonly guarded = new WeakSet<Coordinator>();
  private isMember = false;

  constructor(private readonly release: () => Promise<void>) {}

  /** Every (re)join begins here. */
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
 * An assigner (round robin) that awaits `release` before the member joins, joins again, or leaves.
 *
 * With Kafka's eager protocol the coordinator hands partitions out only when every member has joined again,
 * so nobody gets a partition of ours while `release` runs. Two ends to this: the coordinator waits for a
 * member no longer than the rebalance timeout, and a member that is cut off is out of the group after the
 * session timeout; then others start while `release` is still to come or under way.
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

/** Plays the coordinator of a group of one, that has committed nothing, without any broker knowing of it. */
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
 * An assigner that gives the consumer all partitions without a group on the brokers: nothing to wait for,
 * nothing to clean up, no right to groups needed.
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
