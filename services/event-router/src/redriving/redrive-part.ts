import type { JobId } from '@penstock/contracts';
import { RouterFault } from '../faults/router-fault';
import type { Lane } from '../lanes/lane';
import type { OwnedPartition } from '../progress/owned-partition';
import type { RedriveStore } from '../store/redrive-store';

/** Order keys of a redrive that are in memory for each partition: of the others nothing is. */
const MAX_KEYS = 500;

export interface RedrivePartContext {
  readonly redrives: Pick<RedriveStore, 'keys'>;
  readonly onError: (error: unknown) => void;
}

/** What a redrive has chosen in one partition: gives its order keys to the lane of the redrive, some at a time. */
export class RedrivePart {
  /** The last key that was given to the lane. */
  private after: string | null = null;
  private isAllGiven = false;
  private isFeeding = false;
  private hasStopped = false;

  constructor(
    private readonly job: JobId,
    /** Undefined: nothing is known of the destination any more. */
    private readonly lane: Lane | undefined,
    private readonly partition: OwnedPartition,
    private readonly context: RedrivePartContext,
  ) {}

  /** Gives the lane more keys, when it has room for them. */
  async feed(): Promise<void> {
    const { lane } = this;
    if (lane === undefined || this.isFeeding || this.isAllGiven || !this.mayFeed(lane)) return;
    const room = MAX_KEYS - lane.part(this.partition).keys.size;
    if (room < MAX_KEYS / 2) return;
    this.isFeeding = true;
    try {
      await this.give(lane, room);
    } catch (error) {
      this.context.onError(
        new RouterFault(
          'what a redrive has chosen cannot be read from PostgreSQL; trying again',
          { job: this.job, partition: this.partition.number },
          error,
        ),
      );
    } finally {
      this.isFeeding = false;
    }
  }

  /**
   * Stops, once nothing is in a request any more, and records with the partition's next commit that it has stopped. Call
   * it repeatedly.
   */
  stop(): void {
    if (this.hasStopped || this.isFeeding || this.partition.isGone) return;
    if (this.lane?.leave(this.partition) === false) return;
    this.hasStopped = true;
    this.partition.gather(({ redrivesStopped }) => {
      redrivesStopped.push(this.job);
    });
  }

  private async give(lane: Lane, room: number): Promise<void> {
    const { number } = this.partition;
    const keys = await this.context.redrives.keys(this.job, number, this.after, room);
    if (!this.mayFeed(lane)) return;
    this.isAllGiven = keys.length < room;
    this.after = keys.at(-1)?.orderKey ?? this.after;
    for (const key of keys) lane.restoreKey(this.partition, key);
  }

  private mayFeed({ isClosed }: Lane): boolean {
    return this.partition.maySend && !isClosed;
  }
}
