import { ApiClient } from '../harness/api-client';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';

const AT_ONCE = 5;
const PREFIX = 'Made meanwhile';

interface Connection {
  readonly id: string;
  readonly name: string;
  readonly linkedConnections: readonly string[];
}

/** Clients that create sources, each by one change of three facts, without repeating what fails. */
export class ChangesUnderWay {
  /** Names of sources whose creation was answered 200. */
  readonly answered = new Set<string>();
  /** Number of creations that were not. */
  failed = 0;
  private requested = 0;
  private isStopped = false;
  private readonly running: Promise<unknown>;

  /** @param destination id of the connection to which each source is linked. */
  constructor(
    private readonly installation: RouterInstallation,
    private readonly destination: string,
  ) {
    this.running = Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => this.work(nth)));
  }

  /** Resolves when so many more creations were answered. */
  more(count: number): Promise<void> {
    const wanted = this.answered.size + count;
    return until(
      () => `${String(this.answered.size)} of ${String(wanted)} changes are answered`,
      () => this.answered.size >= wanted,
    );
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  /** Sources that were answered and are not there, or are there in part or twice; empty when there are none. */
  async wrong(): Promise<readonly string[]> {
    const api = new ApiClient(this.installation.address, this.installation.apiKey);
    const list = await api.call('GET', '/v1/connections?limit=1000');
    const { connections } = list as { connections: Connection[] };
    const made = connections.filter(({ name }) => name.startsWith(PREFIX));
    const names = made.map(({ name }) => name);
    const wrong = [...this.answered]
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is gone`);
    if (new Set(names).size < names.length) wrong.push('a source was created twice');
    for (const { id, name, linkedConnections } of made) {
      if (JSON.stringify(linkedConnections) !== JSON.stringify([this.destination]))
        wrong.push(`${name} is linked with ${linkedConnections.join()}`);
      const key = await api.writeKeyOf(id);
      if (!/^\w{32}$/.test(key)) wrong.push(`${name} has the write key ${key}`);
    }
    return wrong;
  }

  private async work(nth: number): Promise<void> {
    const { gateways, apiKey } = this.installation;
    while (!this.isStopped) {
      const { address = '' } = gateways[nth % gateways.length] ?? {};
      const name = `${PREFIX} ${String((this.requested += 1))}`;
      try {
        await new ApiClient(address, apiKey, { isPatient: false }).createConnection({
          ...{ name, role: 'Source', connector: 'nodejs', settings: {} },
          linkedConnections: [this.destination],
        });
        this.answered.add(name);
      } catch {
        this.failed += 1;
        // A gateway that was killed refuses connections: other clients of this machine need the processors, too.
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}
