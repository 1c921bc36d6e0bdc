import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../harness/api-client';
import type { RouterInstallation } from '../harness/router-installation';
import { DestinationServer } from './destination-server';
import { Ledger } from './ledger';
import { PLAN, type Plan, type PlannedDestination, type PlannedPipeline } from './plan';

/** Time limit of a change while gateways are restarted. */
const CHANGE_MS = 60_000;
const CHANGE_PAUSE_MS = 200;

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const mappingOf = (name: string): object => ({
  mapping: {
    properties: `map("p", "${name}", "s", properties.s, "u", properties.u, "n", properties.n)`,
  },
});

const functionOf = (name: string, throws = 'not this one'): object => ({
  function: {
    source: `function transform(event) {
      if (event.event === 'Bad') throw new RangeError(${JSON.stringify(throws)});
      const { s, u, n } = event.properties;
      return { properties: { p: '${name}', s, u, n } };
    }`,
    language: 'JavaScript',
    preserveJSON: false,
    inPaths: ['event', 'properties'],
    outPaths: ['properties'],
  },
});

const filterOf = (names: readonly string[]): object => ({
  logical: 'and',
  conditions: [
    { property: 'type', operator: 'is', values: ['track'] },
    { property: 'event', operator: 'is one of', values: names },
  ],
});

/** A source of the installation. */
interface Source {
  readonly id: string;
  readonly writeKey: string;
}

/** A plan that is set up in an installation, with servers for its destinations. */
export class FanOut {
  readonly sources: Source[] = [];
  /** Ids of the destination connections. */
  readonly destinationIds: string[] = [];
  readonly servers: DestinationServer[] = [];
  /** Ids by the name in the plan. */
  readonly pipelineIds = new Map<string, string>();
  readonly ledger = new Ledger();
  /** Names of pipelines whose deliveries were redriven: latencies are counted of first endings only. */
  readonly redriven = new Set<string>();
  readonly api: ApiClient;
  private updates = 0;

  private constructor(
    /** The installation that it is set up in. */
    public installation: RouterInstallation,
    readonly plan: Plan,
  ) {
    this.api = new ApiClient(installation.address, installation.apiKey);
  }

  static async open(installation: RouterInstallation, plan: Plan = PLAN): Promise<FanOut> {
    const fanOut = new FanOut(installation, plan);
    try {
      await fanOut.make();
      return fanOut;
    } catch (error) {
      await fanOut.close();
      throw error;
    }
  }

  /** @throws RangeError when the plan has no such destination. */
  server(name: string): DestinationServer {
    const server = this.servers[this.indexOf(name)];
    if (server === undefined) throw new RangeError(`the plan has no destination ${name}`);
    return server;
  }

  /** Id of the destination's connection. @throws RangeError when the plan has no such destination. */
  destinationId(name: string): string {
    const id = this.destinationIds[this.indexOf(name)];
    if (id === undefined) throw new RangeError(`the plan has no destination ${name}`);
    return id;
  }

  /** Updates a destination's connection, which ends a pause of its lane. */
  async update(name: string): Promise<void> {
    this.updates += 1;
    const body = { name: `${name} ${String(this.updates)}` };
    await this.change((api) =>
      api.call('PUT', `/v1/connections/${this.destinationId(name)}`, body),
    );
  }

  /**
   * Makes an idempotent change through any running gateway.
   *
   * @throws Error of the last attempt, when none has succeeded for a minute.
   */
  async change<T>(make: (api: ApiClient) => Promise<T>): Promise<T> {
    const { gateways, apiKey } = this.installation;
    for (const deadline = performance.now() + CHANGE_MS; ; await sleep(CHANGE_PAUSE_MS))
      for (const { address } of gateways)
        try {
          return await make(new ApiClient(address, apiKey, { isPatient: false }));
        } catch (error) {
          if (performance.now() > deadline) throw error;
        }
  }

  /** Resets every destination to its usual behaviour. */
  calm(): void {
    this.plan.destinations.forEach(({ usual }, index) => {
      const server = this.servers[index];
      if (server !== undefined) server.behaviour = usual;
    });
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.close();
  }

  private async make(): Promise<void> {
    const { destinations, sources, pipelines } = this.plan;
    // A log that has just started may be slow to answer while other tests run.
    await this.change((api) => api.call('PUT', '/v1/workspaces/current', { name: 'Shop' }));
    for (const destination of destinations) await this.makeDestination(destination);
    for (const links of sources) await this.makeSource(links);
    for (const pipeline of pipelines) await this.makePipeline(pipeline);
  }

  private indexOf(destination: string): number {
    return this.plan.destinations.findIndex(({ name }) => name === destination);
  }

  private async makeDestination(planned: PlannedDestination): Promise<void> {
    const { name, batchSize, timeoutS, usual } = planned;
    const server = await DestinationServer.open(this.ledger, usual);
    this.servers.push(server);
    const settings = {
      url: server.url,
      batchSize,
      ...(timeoutS !== undefined && { timeout: timeoutS }),
    };
    this.destinationIds.push(
      await this.api.createConnection({ name, role: 'Destination', connector: 'http', settings }),
    );
  }

  private async makeSource(links: readonly number[]): Promise<void> {
    const id = await this.api.createConnection({
      name: `Source ${String(this.sources.length)}`,
      role: 'Source',
      connector: 'nodejs',
      settings: {},
      linkedConnections: links.map((index) => this.destinationIds[index] ?? ''),
    });
    this.sources.push({ id, writeKey: await this.api.writeKeyOf(id) });
  }

  private async makePipeline(planned: PlannedPipeline): Promise<void> {
    const { name, destination, transformation, only, enabled = true, throws } = planned;
    const id = await this.api.createPipeline({
      name,
      connection: this.destinationIds[destination] ?? '',
      eventType: 'send_values',
      enabled,
      ...(only && { filter: filterOf(only) }),
      transformation: transformation === 'mapping' ? mappingOf(name) : functionOf(name, throws),
      outSchema: OUT_SCHEMA,
    });
    this.pipelineIds.set(name, id);
  }
}
