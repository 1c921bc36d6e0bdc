const WINDOW_MS = 100;

/** 250 sends a second cost about an eighth of a core (0.5 ms each, measured); up to there waiting saves little. */
const SENDS_A_WINDOW = 25;

/** Tells a busy writer, for whom waiting a little makes larger and fewer sends, from an idle one. */
export class SendPace {
  private windowStartMs = 0;
  private sends = 0;
  private previousSends = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** To be called at every send. */
  count(): void {
    this.turn();
    this.sends += 1;
  }

  isBusy(): boolean {
    this.turn();
    return Math.max(this.sends, this.previousSends) >= SENDS_A_WINDOW;
  }

  private turn(): void {
    const passedMs = this.nowMs() - this.windowStartMs;
    if (passedMs < WINDOW_MS) return;
    this.previousSends = passedMs < 2 * WINDOW_MS ? this.sends : 0;
    this.sends = 0;
    this.windowStartMs = this.nowMs();
  }
}
