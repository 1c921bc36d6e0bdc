import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_MS = 100;
const CHECK_TIMEOUT_MS = 1_000;

/** Selects ready gateways, as a load balancer does: polls `/readyz` of each. */
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

  /** The next ready gateway; when none is ready, the next of all. */
  next(): string {
    const ready = this.addresses.filter((_, index) => this.isReady[index]);
    const candidates = ready.length > 0 ? ready : this.addresses;
    this.turn += 1;
    return candidates[this.turn % candidates.length] ?? '';
  }

  /** Whether it selects the gateway. */
  isUsing(address: string): boolean {
    return this.isReady[this.addresses.indexOf(address)] === true;
  }

  /** Call it when a connection has failed: the gateway is left out until it reports that it is ready. */
  failed(address: string): void {
    const index = this.addresses.indexOf(address);
    if (index >= 0) this.isReady[index] = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.checks);
  }

  private async check(address: string, index: number): Promise<void> {
    for (; !this.isClosed; await sleep(CHECK_MS))
      this.isReady[index] = (await saysReady(address)) ?? this.isReady[index] ?? false;
  }
}

/** @returns undefined when there was no answer in time: on a loaded machine that says nothing. */
const saysReady = async (address: string): Promise<boolean | undefined> => {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const answer = await fetch(`${address}/readyz`, { signal });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? undefined : false;
  }
};
