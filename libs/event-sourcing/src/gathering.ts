interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks things up for many callers at once: one look-up is under way at a time, and the calls that come meanwhile share
 * the next one. A look-up begins after each of its calls, so that it sees everything that was committed before.
 */
export class Gathering<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private isRunning = false;

  /**
   * @param lookUp returns an output for each input, in order; an error reaches all callers.
   * @param limits `most` is the total of `sizeOf` in one look-up; a larger input is looked up alone.
   */
  constructor(
    private readonly lookUp: (inputs: readonly In[]) => Promise<readonly Out[]>,
    private readonly limits: { readonly most: number; readonly sizeOf: (input: In) => number },
  ) {}

  get(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) await this.serve(this.next());
    this.isRunning = false;
  }

  /** The first that wait; at least one. */
  private next(): readonly Waiting<In, Out>[] {
    const { most, sizeOf } = this.limits;
    let count = 0;
    let size = 0;
    for (const { input } of this.waiting) {
      size += sizeOf(input);
      if (count > 0 && size > most) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async serve(group: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outputs = await this.lookUp(group.map(({ input }) => input));
      for (const [index, { resolve }] of group.entries()) resolve(outputs[index] as Out);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
