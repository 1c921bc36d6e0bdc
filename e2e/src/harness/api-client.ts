import { type components, createPenstockClient, type PenstockClient } from '@penstock/client';
import { hastyFetch, patientFetch } from './patient-fetch';

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

type Schemas = components['schemas'];

type NewConnection = Schemas['CreateConnection'];

export type NewPipeline = Omit<Schemas['CreatePipeline'], 'target' | Definition> &
  Readonly<Partial<Record<Definition, object>>>;

/** Members that specs may give any value, valid or not. */
type Definition = 'filter' | 'transformation' | 'outSchema';

/** The result of any operation of the client. */
interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws ApiError */
const successOf = async <Data>(call: string, request: Promise<Answer<Data>>): Promise<Data> => {
  const { data, error, response } = await request;
  if (response.status !== 200) throw new ApiError(response.status, JSON.stringify(error), call);
  return data as Data;
};

export interface ApiClientOptions {
  /** Id of the workspace; default: the only one. */
  readonly workspace?: string;
  /** Whether requests answered 503 are repeated, where that is safe; default: true. */
  readonly isPatient?: boolean;
}

/** A client of the configuration API for set-ups: throws on any failure. */
export class ApiClient {
  private readonly client: PenstockClient;

  constructor(
    address: string,
    apiKey: string,
    { workspace, isPatient = true }: ApiClientOptions = {},
  ) {
    this.client = createPenstockClient({
      baseUrl: address,
      apiKey,
      ...(workspace !== undefined && { workspace }),
      fetch: isPatient ? patientFetch : hastyFetch,
    });
  }

  /** Sends any request, valid or not. @throws ApiError */
  call(method: string, path: string, body?: object): Promise<unknown> {
    const request = this.client.request(method as 'get', path as never, { body } as never);
    return successOf(`${method} ${path}`, request as Promise<Answer<unknown>>);
  }

  async createConnection(body: NewConnection): Promise<string> {
    const request = this.client.POST('/v1/connections', { body });
    return (await successOf('create connection', request)).id;
  }

  async createPipeline(pipeline: NewPipeline): Promise<string> {
    const body = { target: 'Event', ...pipeline } as never;
    const request = this.client.POST('/v1/pipelines', { body });
    return (await successOf('create pipeline', request)).id;
  }

  /** @returns the first write key of a source. */
  async writeKeyOf(source: string): Promise<string> {
    const path = { id: source };
    const request = this.client.GET('/v1/connections/{id}/event-write-keys', { params: { path } });
    const [key] = (await successOf('list write keys', request)).keys;
    if (key === undefined) throw new Error(`source ${source} has no write key`);
    return key;
  }

  async link(source: string, destination: string): Promise<void> {
    const path = { src: source, dst: destination };
    const request = this.client.POST('/v1/connections/{src}/links/{dst}', { params: { path } });
    await successOf('link', request);
  }
}
