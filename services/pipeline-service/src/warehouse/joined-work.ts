import { unavailable } from '@penstock/platform';

/** Work of which there is one at a time for each key: who asks for it meanwhile waits for the same one. */
export class JoinedWork<T> {
  private readonly running = new Map<string, Promise<T>>();

  /** @param places works of all keys at a time. */
  constructor(private readonly places: number) {}

  /**
   * Begins the work, or joins that of the key which is under way.
   *
   * @param signal fires when nobody waits for the answer any more. The work goes on, and can be joined again.
   * @throws Refusal ServiceUnavailable when no place is free; the reason of the signal; and what the work throws.
   */
  async join(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const under = this.running.get(key) ?? this.begin(key, work);
    let leave: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal.reason as Error);
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([under, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  private begin(key: string, work: () => Promise<T>): Promise<T> {
    if (this.running.size >= this.places)
      throw unavailable('too much work of this kind is under way');
    const begun = work().finally(() => this.running.delete(key));
    // Whoever waits is told; maybe nobody does any more.
    begun.catch(() => undefined);
    this.running.set(key, begun);
    return begun;
  }
}
