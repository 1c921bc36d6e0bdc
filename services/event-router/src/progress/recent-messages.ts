/** Message id's hash → body digest. */
type Messages = ReadonlyMap<string, string>;

/**
 * Message ids of one partition that a look-up in the store may not find yet, by the commit that they are in. They are
 * forgotten only when a look-up begins after their commit was confirmed: so a look-up that overlaps a commit finds an id
 * in the table or here.
 */
export class RecentMessages {
  /** Since the last commit was made up. */
  private current = new Map<string, string>();
  /** Of commits, the oldest first. */
  private committed: Messages[] = [];
  private readonly confirmed = new Set<Messages>();

  /** The body digest of a message that was routed a short time ago. */
  digestOf(hash: string): string | undefined {
    const digest = this.current.get(hash);
    if (digest !== undefined) return digest;
    for (const messages of this.committed) {
      const earlier = messages.get(hash);
      if (earlier !== undefined) return earlier;
    }
    return undefined;
  }

  add(hash: string, digest: string): void {
    this.current.set(hash, digest);
  }

  /** What was added since this was last called: the messages of a commit. */
  take(): Messages {
    const messages = this.current;
    this.current = new Map();
    if (messages.size > 0) this.committed.push(messages);
    return messages;
  }

  /** They are in the store: whoever looks from now on finds them there. @param messages as they were taken. */
  confirm(messages: Messages): void {
    this.confirmed.add(messages);
  }

  /** To be called before each look-up, of which one is under way at most. */
  beginLookUp(): void {
    if (this.confirmed.size === 0) return;
    this.committed = this.committed.filter((messages) => !this.confirmed.has(messages));
    this.confirmed.clear();
  }

  get size(): number {
    return this.committed.reduce((sum, { size }) => sum + size, this.current.size);
  }
}
