/** One who sleeps, and can be woken. Waking who does not sleep does nothing. */
export class Sleeper {
  wake: () => void = () => undefined;

  /** Resolves after the time, or when woken. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const alarm = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(alarm);
        resolve();
      };
    });
  }
}
