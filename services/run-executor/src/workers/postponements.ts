/** What is to be left out for some time. */
export class Postponements<Key> {
  /** When each is due again. */
  private readonly dueMs = new Map<Key, number>();

  postpone(key: Key, ms: number): void {
    this.dueMs.set(key, performance.now() + ms);
  }

  /** What is not due yet. */
  list(): readonly Key[] {
    for (const [key, dueMs] of this.dueMs) if (dueMs <= performance.now()) this.dueMs.delete(key);
    return [...this.dueMs.keys()];
  }
}
