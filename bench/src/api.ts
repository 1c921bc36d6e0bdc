/** The calls of the API that measurements need. */
export class Api {
  constructor(
    private readonly address: string,
    private readonly key: string,
    /** Id of the workspace; absent: the key's own. */
    private readonly workspace?: string,
  ) {}

  post<T>(path: string, body?: object): Promise<T> {
    return this.call<T>('POST', path, body);
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.call<T>('PUT', path, body);
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  /** Creates a server-side source. Events of an unlinked one are accepted and not delivered. */
  async source(name: string): Promise<{ readonly id: string; readonly key: string }> {
    const { id } = await this.post<{ id: string }>('/v1/connections', {
      name,
      role: 'Source',
      connector: 'nodejs',
      settings: {},
    });
    const { keys } = await this.get<{ keys: string[] }>(`/v1/connections/${id}/event-write-keys`);
    return { id, key: keys[0] ?? '' };
  }

  /** Creates a destination with a filter and a mapping, linked to a new source. */
  async route(name: string, url: string, batchSize: number): Promise<Route> {
    const source = await this.source(name);
    const { id: destination } = await this.post<Created>('/v1/connections', {
      name: `${name} destination`,
      role: 'Destination',
      connector: 'http',
      settings: { url, batchSize },
    });
    await this.post(`/v1/connections/${source.id}/links/${destination}`);
    const pipeline = await this.pipeline(name, destination);
    return { key: source.key, destination, pipeline };
  }

  /** Creates a pipeline. @returns its id. */
  async pipeline(name: string, destination: string): Promise<string> {
    const { id } = await this.post<Created>('/v1/pipelines', {
      connection: destination,
      target: 'Event',
      eventType: 'send_values',
      name,
      ...DEFINITION,
    });
    return id;
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        ...(this.workspace !== undefined && { 'penstock-workspace': this.workspace }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }
}

interface Created {
  readonly id: string;
}

/** A source with a linked destination and its pipeline. */
export interface Route {
  /** Write key of the source. */
  readonly key: string;
  /** Ids. */
  readonly destination: string;
  readonly pipeline: string;
}

const MAPPING =
  'map("messageId", messageId, "user", anonymousId, "email", lower(traits.email), "total", properties.total, ' +
  '"currency", coalesce(properties.currency, "EUR"), "page", context.page.url, "at", timestamp)';

/** The definition of a pipeline; with a `name` it is the body of a PUT. */
export const DEFINITION = {
  enabled: true,
  filter: {
    logical: 'and',
    conditions: [
      { property: 'type', operator: 'is', values: ['track'] },
      { property: 'event', operator: 'is', values: ['Order Completed'] },
      { property: 'properties.total', operator: 'is greater than', values: ['10'] },
    ],
  },
  transformation: { mapping: { properties: MAPPING } },
  outSchema: {
    kind: 'object',
    properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
  },
};
