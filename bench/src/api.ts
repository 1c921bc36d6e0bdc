/** The few calls of the API that a measurement needs. */
export class Api {
  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  async post<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    return (await response.json()) as T;
  }

  /** A server-side source; events of an unlinked one are accepted and go nowhere. */
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

  /** A destination with filter and mapping, linked to a new source. */
  async route(name: string, url: string, batchSize: number): Promise<string> {
    const source = await this.source(name);
    const destination = await this.post<{ id: string }>('/v1/connections', {
      name: `${name} destination`,
      role: 'Destination',
      connector: 'http',
      settings: { url, batchSize },
    });
    await this.post(`/v1/connections/${source.id}/links/${destination.id}`);
    await this.post('/v1/pipelines', {
      name,
      connection: destination.id,
      target: 'Event',
      eventType: 'send_values',
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
    });
    return source.key;
  }
}

const MAPPING =
  'map("messageId", messageId, "user", anonymousId, "email", lower(traits.email), "total", properties.total, ' +
  '"currency", coalesce(properties.currency, "EUR"), "page", context.page.url, "at", timestamp)';
