import { TopicMoved } from '../topic-moved';
import type { AppendCall, Pending } from './append-call';
import type { Topics } from './topics';

/** Ends by partition, keyed by the row id in `penstock_log.partitions`. */
export type Ends = ReadonlyMap<number, number>;

const callsOf = (flush: readonly Pending[]): ReadonlySet<AppendCall> =>
  new Set(flush.map(({ call }) => call));

/** Conditions of the calls in a flush. A call's condition is checked once, with its first flush. */
export class Conditions {
  private readonly partitionIds = new Map<string, number>();

  constructor(private readonly topics: Pick<Topics, 'named'>) {}

  /** Returns the lowest required end of each partition; fails calls whose topic is unsuitable for a condition. */
  async lowestEnds(flush: readonly Pending[]): Promise<Ends> {
    const lowest = new Map<number, number>();
    for (const call of callsOf(flush)) {
      const { unlessMoved } = call;
      if (!unlessMoved) continue;
      try {
        const id = this.partitionIds.get(unlessMoved.topic) ?? (await this.find(unlessMoved.topic));
        lowest.set(id, Math.min(lowest.get(id) ?? Infinity, unlessMoved.end));
      } catch (error) {
        call.fail(error);
      }
    }
    return lowest;
  }

  /**
   * Applies the result of the check: calls whose topic has moved too far fail, the others have no condition any more.
   *
   * @param moved the present ends of partitions beyond their lowest required end.
   */
  settle(flush: readonly Pending[], moved: Ends): void {
    for (const call of callsOf(flush)) {
      const { unlessMoved } = call;
      if (!unlessMoved) continue;
      call.unlessMoved = undefined;
      const end = moved.get(this.partitionIds.get(unlessMoved.topic) ?? 0) ?? 0;
      if (end > unlessMoved.end) call.fail(new TopicMoved(unlessMoved.topic, end));
    }
  }

  private async find(name: string): Promise<number> {
    const { partitionIds } = await this.topics.named(name);
    const [id = 0] = partitionIds;
    if (partitionIds.length !== 1)
      throw new Error(`topic ${name} has ${partitionIds.length} partitions, not one`);
    this.partitionIds.set(name, id);
    return id;
  }
}
