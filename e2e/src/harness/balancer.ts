import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_MS = 100;
const CHECK_TIMEOUT_MS = 1_000;

/** Sends clients to gateways that say they are ready, as a load balancer does: asks `/readyz` of each all the time. */
export class Balancer {
  private readonly isReady: boolean[];
  private readonly checks: Promise<void>[];
  private turn = 0;
  private isClosed = false;

  /** @param addresses of the gateways. */
  constructor(readonly addresses: readonly string[]) {
    this.isReady = addresses.map(() => true);
    this.checks = addresses.map((address, index) => this.check(address, index));
  }

  /** The next of those that are ready; where none is, of all. */
  next(): string {
    const ready = this.addresses.filter((_, index) => this.isReady[index]);
    const candidates = ready.length > 0 ? ready : this.addresses;
    this.turn += 1;
    return candidates[this.turn % candidates.length] ?? '';
  }

  /** A connection to it failed: it is left out until it says again that it is ready. */
  failed(address: string): void {
    const index = this.addresses.indexOf(address);
    if (index >= 0) this.isReady[index] = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.checks);
  }

  private async check(address: string, index: number): Promise<void> {
    for (; !this.isClosed; await sleep(CHECK_MS)) this.isReady[index] = await saysReady(address);
  }
}

const saysReady = async (address: string): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const answer = await fetch(`${address}/readyz`, { signal });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
};
