import { TopicMoved } from '../topic-moved';
import type { AppendCall, Pending } from './append-call';
import type { Topics } from './topics';

/** Ends by the row ids of partitions in `penstock_log.partitions`. */
export type Ends = ReadonlyMap<number, number>;

const callsOf = (flush: readonly Pending[]): ReadonlySet<AppendCall> =>
  new Set(flush.map(({ call }) => call));

/** What the calls of a flush demand of other topics. A call demands it once: of its first flush. */
export class Conditions {
  private readonly partitionIds = new Map<string, number>();

  constructor(private readonly topics: Pick<Topics, 'named'>) {}

  /** The lowest end that the calls demand of each partition; a call fails whose topic cannot be depended on. */
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
   * The log has looked: calls whose topic has moved too far fail, the others demand nothing any more.
   *
   * @param moved the present ends of partitions that stand above the lowest end demanded of them.
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
