import type { FirstMessage } from '../store/changes';

/** By the message id's hash. */
type Messages = ReadonlyMap<string, FirstMessage>;

/**
 * Message ids of one partition that a look-up in the store may not find yet, grouped by commit. They are removed only
 * when a look-up begins after their commit was confirmed, so that a look-up that overlaps a commit finds each id in the
 * table or here.
 */
export class RecentMessages {
  /** Since the last commit was composed. */
  private current = new Map<string, FirstMessage>();
  /** Of commits, the oldest first. */
  private committed: Messages[] = [];
  private readonly confirmed = new Set<Messages>();

  /** The body digest of a recently routed message; undefined: it is not known here. */
  digestOf(hash: string): string | undefined {
    const message = this.current.get(hash);
    if (message !== undefined) return message.digest;
    for (const messages of this.committed) {
      const earlier = messages.get(hash);
      if (earlier !== undefined) return earlier.digest;
    }
    return undefined;
  }

  add(hash: string, message: FirstMessage): void {
    this.current.set(hash, message);
  }

  /** The messages added since the last call: those of one commit. */
  take(): Messages {
    const messages = this.current;
    this.current = new Map();
    if (messages.size > 0) this.committed.push(messages);
    return messages;
  }

  /** Call it when the messages are in the store. @param messages the object that `take` returned. */
  confirm(messages: Messages): void {
    this.confirmed.add(messages);
  }

  /** Call it before each look-up. At most one look-up may be under way. */
  beginLookUp(): void {
    if (this.confirmed.size === 0) return;
    this.committed = this.committed.filter((messages) => !this.confirmed.has(messages));
    this.confirmed.clear();
  }

  get size(): number {
    return this.committed.reduce((sum, { size }) => sum + size, this.current.size);
  }
}
