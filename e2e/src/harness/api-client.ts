/** An answer that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly body: string,
    call: string,
  ) {
    super(`${call}: ${String(status)} ${body}`);
  }
}

export interface NewConnection {
  readonly name: string;
  readonly role: 'Source' | 'Destination';
  readonly connector: string;
  readonly settings: object;
  readonly linkedConnections?: readonly string[];
}

export interface NewPipeline {
  readonly name: string;
  readonly connection: string;
  readonly eventType: string;
  readonly enabled: boolean;
  readonly filter?: object;
  readonly transformation?: object;
  readonly outSchema?: object;
}

interface Created {
  readonly id: string;
}

/** The configuration API, for set-ups: anything but a success throws. */
export class ApiClient {
  constructor(
    private readonly address: string,
    private readonly apiKey: string,
  ) {}

  /** @throws ApiError */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (response.status !== 200) throw new ApiError(response.status, text, `${method} ${path}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async createConnection(connection: NewConnection): Promise<string> {
    return ((await this.call('POST', '/v1/connections', connection)) as Created).id;
  }

  async createPipeline(pipeline: NewPipeline): Promise<string> {
    const body = { target: 'Event', ...pipeline };
    return ((await this.call('POST', '/v1/pipelines', body)) as Created).id;
  }

  /** @returns the first write key of a source. */
  async writeKeyOf(source: string): Promise<string> {
    const path = `/v1/connections/${source}/event-write-keys`;
    const { keys } = (await this.call('GET', path)) as { keys: string[] };
    const [key] = keys;
    if (key === undefined) throw new Error(`source ${source} has no write key`);
    return key;
  }

  async link(source: string, destination: string): Promise<void> {
    await this.call('POST', `/v1/connections/${source}/links/${destination}`);
  }
}
