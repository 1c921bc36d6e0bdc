import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../harness/seeded-random';
import type { FanOut } from './fan-out';
import type { PlannedDestination } from './plan';

/** Pause between two troubles, and duration of one. */
const CALM_MS = 1_500;
const TROUBLE_MS = 2_000;
/**
 * Pause between two denials (401) of one destination. An event that is denied, and denied again after others have
 * succeeded, is rejected; two denials with a short pause would look like that.
 */
const DENIAL_PAUSE_MS = 10_000;

/** Gives one destination after the other one of its troubles for a while. */
export class Troubles {
  private readonly ending = new AbortController();
  private readonly running: Promise<void>;
  /** Time from which each destination may deny again. */
  private readonly denialsFromMs = new Map<string, number>();

  constructor(
    private readonly fanOut: FanOut,
    private readonly random: SeededRandom,
  ) {
    this.running = this.run();
  }

  /** Resolves when every destination has its usual behaviour again. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
    this.fanOut.calm();
  }

  private async run(): Promise<void> {
    const troubled = this.fanOut.plan.destinations.filter(({ troubles }) => troubles.length > 0);
    while (!this.ending.signal.aborted) {
      await this.pause(this.random.below(CALM_MS));
      await this.give(this.random.pick(troubled));
    }
  }

  private async give({ name, troubles, usual }: PlannedDestination): Promise<void> {
    const server = this.fanOut.server(name);
    const mayDeny = performance.now() >= (this.denialsFromMs.get(name) ?? 0);
    const possible = troubles.filter(({ needsUpdate = false }) => mayDeny || !needsUpdate);
    const { behaviour, needsUpdate = false } = this.random.pick(possible);
    server.behaviour = behaviour;
    await this.pause(this.random.below(TROUBLE_MS));
    server.behaviour = usual;
    if (!needsUpdate) return;
    await this.fanOut.update(name);
    this.denialsFromMs.set(name, performance.now() + DENIAL_PAUSE_MS);
  }

  private pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.ending.signal }).catch(() => undefined);
  }
}
