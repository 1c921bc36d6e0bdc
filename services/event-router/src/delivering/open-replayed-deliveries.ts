import type { OpenReplayed } from '../store/changes';

/** The open deliveries of a replay in one partition, by order key, in the order of their offsets. */
export class OpenReplayedDeliveries {
  private readonly byOffset = new Map<number, OpenReplayed>();
  private readonly byKey = new Map<string, OpenReplayed[]>();

  get size(): number {
    return this.byOffset.size;
  }

  /** The order keys with their deliveries. */
  get keys(): Iterable<readonly [string, readonly OpenReplayed[]]> {
    return this.byKey;
  }

  has(offset: number): boolean {
    return this.byOffset.has(offset);
  }

  /** Adds a delivery behind those of its key. */
  add(delivery: OpenReplayed): void {
    const { offset, orderKey } = delivery;
    this.byOffset.set(offset, delivery);
    const own = this.byKey.get(orderKey);
    if (own === undefined) this.byKey.set(orderKey, [delivery]);
    else own.push(delivery);
  }

  /** Notes the attempts of a delivery. */
  tried(offset: number, attempts: number, dueMs: number): void {
    const before = this.byOffset.get(offset);
    if (before === undefined) return;
    const after = { ...before, attempts, dueMs };
    this.byOffset.set(offset, after);
    const own = this.byKey.get(before.orderKey) ?? [];
    own[own.indexOf(before)] = after;
  }

  /** Removes a delivery that has ended. @returns whether it was open. */
  remove(offset: number): boolean {
    const found = this.byOffset.get(offset);
    if (found === undefined) return false;
    this.byOffset.delete(offset);
    const own = this.byKey.get(found.orderKey) ?? [];
    own.splice(own.indexOf(found), 1);
    if (own.length === 0) this.byKey.delete(found.orderKey);
    return true;
  }

  /** At most `limit` deliveries of a key, those after an offset. */
  after(orderKey: string, offset: number, limit: number): readonly OpenReplayed[] {
    const own = this.byKey.get(orderKey) ?? [];
    const from = own.findIndex((each) => each.offset > offset);
    return from < 0 ? [] : own.slice(from, from + limit);
  }

  clear(): void {
    this.byOffset.clear();
    this.byKey.clear();
  }
}
