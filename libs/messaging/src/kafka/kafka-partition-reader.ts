import type { PartitionReader, ReadPartitions } from '../partition-reader';
import { checkOffset, checkPartition } from '../read-limits';
import type { Brokers } from './brokers';
import { Flow } from './flow';
import type { KafkaLogger } from './kafka-client';
import { LaneFetcher } from './lane-fetcher';
import { PartitionLane } from './partition-lane';

const MAX_RECORDS = 500;

/** Reads single partitions, each from where it is told, by fetches of its own: no group, no position but the lane's. */
export class KafkaPartitionReader implements PartitionReader {
  /** Resolves when the reader was closed. */
  readonly ended: Promise<void>;
  private readonly lanes = new Map<number, PartitionLane>();
  /** Lanes whose partition still has a batch in hand from before. */
  private readonly blocked = new WeakSet<PartitionLane>();
  private readonly departures = new Map<number, Promise<void>>();
  private readonly flow = new Flow(this.lanes);
  private readonly fetcher: LaneFetcher;
  private closing: Promise<void> | undefined;
  private end!: () => void;

  constructor(
    private readonly options: ReadPartitions,
    private readonly partitionCount: number,
    private readonly brokers: Brokers,
    private readonly logger: KafkaLogger,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    this.fetcher = new LaneFetcher({
      topic: options.topic,
      brokers,
      lanes: this.lanes,
      hasRoom: (lane) => !this.blocked.has(lane) && this.hasRoom(lane),
      logger,
    });
  }

  start(partition: number, offset: number): void {
    checkPartition(this.options.topic, this.partitionCount, partition);
    checkOffset(offset);
    if (this.closing) return;
    const before = this.depart(partition);
    const lane = this.newLane(partition, offset);
    this.lanes.set(partition, lane);
    if (before) this.unblockAfter(before, lane);
    else this.fetcher.kick();
  }

  async stop(partition: number): Promise<void> {
    await this.depart(partition);
  }

  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  private async finish(): Promise<void> {
    this.fetcher.close();
    const partitions = new Set([...this.lanes.keys(), ...this.departures.keys()]);
    await Promise.all([...partitions].map((partition) => this.stop(partition)));
    await this.brokers.close();
    this.end();
  }

  private newLane(partition: number, start: number): PartitionLane {
    const { topic, onBatch, maxRecords = MAX_RECORDS } = this.options;
    return new PartitionLane({
      partition,
      start,
      maxRecords,
      onBatch,
      onMoved: () => {
        this.fetcher.kick();
      },
      onFault: (what, error) => {
        this.logger('error', what, { topic, partition, error });
      },
    });
  }

  /** Takes the partition away. @returns the end of what is in hand, if anything is. */
  private depart(partition: number): Promise<void> | undefined {
    const lane = this.lanes.get(partition);
    this.lanes.delete(partition);
    if (!lane?.isAtWork) return this.departures.get(partition);
    const departure = lane.stop().then(() => {
      if (this.departures.get(partition) === departure) this.departures.delete(partition);
    });
    this.departures.set(partition, departure);
    return departure;
  }

  private unblockAfter(before: Promise<void>, lane: PartitionLane): void {
    this.blocked.add(lane);
    void before.then(() => {
      this.blocked.delete(lane);
      this.fetcher.kick();
    });
  }

  private hasRoom(lane: PartitionLane): boolean {
    return this.flow.hasRoom(lane);
  }
}
