import { ApiClient } from '../harness/api-client';
import type { EmbeddedInstallation } from '../harness/embedded-installation';
import { type Flow, makeFlow } from '../harness/flow';
import { type RawAnswer, type RawRequest, sendPatiently } from '../harness/raw-request';
import type { Receiver } from '../harness/receiver';
import { until } from '../harness/until';
import { json } from './refusal';

/** The health of a connection or a pipeline of which nothing else is known. */
export const HEALTHY = {
  status: 'Healthy',
  since: null,
  code: '',
  message: '',
  action: '',
} as const;

export type Json = Record<string, unknown>;

export interface Answer extends RawAnswer {
  /** Empty when there is no body. */
  readonly json: Json;
}

/** Ids of a workspace's objects: those of a flow, and an application with users. */
type Ids = Flow & { readonly application: string; readonly workspace: string };

interface WorldParts {
  readonly installation: EmbeddedInstallation;
  readonly receiver: Receiver;
  /** URL of a server for warehouses, as a superuser. */
  readonly databaseUrl: string;
}

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Good'] }],
};

let schemas = 0;

/** Settings of a warehouse in a new schema. */
export const warehouseOf = (databaseUrl: string): Json => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  schemas += 1;
  return {
    host: hostname,
    port: Number(port),
    username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    schema: `warehouse_${String(schemas)}`,
  };
};

/** A workspace for the rows of one area, isolated from the others. */
export class World {
  private next: Promise<World> | undefined;

  private constructor(
    readonly installation: EmbeddedInstallation,
    readonly receiver: Receiver,
    readonly databaseUrl: string,
    readonly ids: Ids,
  ) {}

  static async make({ installation, receiver, databaseUrl }: WorldParts): Promise<World> {
    const { address, apiKey } = installation;
    const settings = warehouseOf(databaseUrl);
    const { id: workspace } = (await new ApiClient(address, apiKey).call('POST', '/v1/workspaces', {
      name: 'Area',
      warehouse: { platform: 'PostgreSQL', settings },
    })) as { id: string };
    const application = await new ApiClient(address, apiKey, { workspace }).createConnection({
      name: 'Users',
      role: 'Source',
      connector: 'dummy',
      settings: {},
    });
    const flow = await makeFlow(
      { address, apiKey, workspace },
      { url: receiver.url, filter: FILTER, mapping: 'map("id", messageId)' },
    );
    return new World(installation, receiver, databaseUrl, { ...flow, application, workspace });
  }

  /** Sends a request. @param call method and path; `{name}` in it or in the body is replaced from {@link ids}. */
  async ask(call: string, { headers, body, ...request }: RawRequest = {}): Promise<Answer> {
    const [method = '', path = ''] = this.filled(call).split(' ');
    const answer = await sendPatiently(`${this.installation.address}${path}`, {
      ...request,
      ...(body !== undefined && { body: typeof body === 'string' ? this.filled(body) : body }),
      method,
      headers: {
        Authorization: `Bearer ${this.installation.apiKey}`,
        'Penstock-Workspace': this.ids.workspace,
        ...headers,
      },
    });
    const isJson =
      answer.text !== '' && /^application\/json/.test(answer.headers['content-type'] ?? '');
    return { ...answer, json: isJson ? (JSON.parse(answer.text) as Json) : {} };
  }

  /** Sends a request that must succeed. @returns its body. */
  async done(call: string, body?: object): Promise<Json> {
    const { status, text, json: answered } = await this.ask(call, body && json(body));
    if (status !== 200) throw new Error(`${call}: ${String(status)} ${text}`);
    return answered;
  }

  async made(call: string, body?: object): Promise<string> {
    return String((await this.done(call, body))['id']);
  }

  async etagOf(path: string): Promise<string> {
    return String((await this.ask(`GET ${path}`)).headers['etag']);
  }

  /** Creates an API key for a row. */
  async key(members: object): Promise<{ readonly id: string; readonly key: string }> {
    const made = await this.done('POST /v1/keys', { name: 'Row', scope: 'read', ...members });
    return { id: String(made['id']), key: String(made['key']) };
  }

  /** Resolves when the event has been delivered. */
  arrival(messageId: string): Promise<void> {
    return until(`${messageId} arrives`, () =>
      this.receiver.delivered.some(({ body }) => body['id'] === messageId),
    );
  }

  /** Another workspace of the same installation, shared by all rows of the area. */
  neighbour(): Promise<World> {
    this.next ??= World.make(this);
    return this.next;
  }

  private filled(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      name in this.ids ? this.ids[name as keyof Ids] : whole,
    );
  }
}

export const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });
