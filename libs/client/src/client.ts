import createClient, { type Client, type ClientOptions, type Middleware } from 'openapi-fetch';
import type { paths } from './api-types';
import { readPlainJson, writePlainJson } from './plain-json';

/** Where a client finds its gateway, and as whom it acts. */
export interface PenstockClientOptions extends Pick<ClientOptions, 'fetch' | 'signal'> {
  /** Of the gateway, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Or a write key, for the routes that take events. */
  readonly apiKey: string;
  /** The workspace that requests act on; a key of one workspace needs none. */
  readonly workspace?: string;
}

/** Answers are `{ data, response }` or, where the API refused, `{ error, response }`. */
export type PenstockClient = Client<paths>;

/** openapi-fetch calls `json()` of the response itself where the length is known. */
const lossless: Middleware = {
  async onResponse({ response }) {
    const text = await response.text();
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    headers.set('Content-Length', String(Buffer.byteLength(text)));
    headers.delete('Transfer-Encoding');
    const read = new Response(text, { status, statusText, headers });
    return Object.defineProperty(read, 'json', {
      value: () => Promise.resolve(readPlainJson(text)),
    });
  },
};

/** A client of the API; it keeps every digit of integers, and throws what `fetch` throws and nothing else. */
export const createPenstockClient = ({
  baseUrl,
  apiKey,
  workspace,
  ...options
}: PenstockClientOptions): PenstockClient => {
  const client = createClient<paths>({
    ...options,
    baseUrl,
    bodySerializer: writePlainJson,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(workspace !== undefined && { 'Penstock-Workspace': workspace }),
    },
  });
  client.use(lossless);
  return client;
};
