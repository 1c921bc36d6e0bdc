/** Rejects while what it looks at cannot do its work. */
export type ReadinessCheck = () => Promise<unknown>;

/** A check that takes longer counts as failed; an orchestrator's probe gives up soon after. */
const CHECK_TIMEOUT_MS = 2_000;

const within = async (work: Promise<boolean>, timeoutMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  return Promise.race([work, expired]).finally(() => clearTimeout(timer));
};

/** What one process must have before it can do its work, by name. One per process, shared by its services. */
export class Health {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(private readonly timeoutMs = CHECK_TIMEOUT_MS) {}

  /**
   * @param name shown in `notReady`, such as `database`; a second check of one name replaces the first.
   * @returns a function that takes the check away.
   */
  addCheck(name: string, check: ReadinessCheck): () => void {
    this.#checks.set(name, check);
    return () => {
      if (this.#checks.get(name) === check) this.#checks.delete(name);
    };
  }

  /** @returns the names of what is not ready, sorted; empty when the process can do its work. Never rejects. */
  async notReady(): Promise<string[]> {
    const names = [...this.#checks.keys()].sort();
    const results = await Promise.all(names.map((name) => within(this.#run(name), this.timeoutMs)));
    return names.filter((_, index) => results[index] === false);
  }

  /** A check that hangs is run once, not again by every probe. */
  #run(name: string): Promise<boolean> {
    const running = this.#running.get(name) ?? this.#start(name);
    this.#running.set(name, running);
    return running;
  }

  async #start(name: string): Promise<boolean> {
    try {
      await this.#checks.get(name)?.();
      return true;
    } catch {
      return false;
    } finally {
      this.#running.delete(name);
    }
  }
}
