import createClient, { type Client, type ClientOptions, type Middleware } from 'openapi-fetch';
import type { paths } from './api-types';
import { readPlainJson, writePlainJson } from './plain-json';

/**
 * Options of {@link createPenstockClient}: where the gateway is, and which key and workspace requests are sent with.
 */
export interface PenstockClientOptions extends Pick<ClientOptions, 'fetch' | 'signal'> {
  /** Base URL of the gateway, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** An API key, or a write key for the routes that accept events. */
  readonly apiKey: string;
  /** The workspace that requests act on. Not needed with a key that belongs to one workspace. */
  readonly workspace?: string;
}

/** A typed client. Each method resolves to `{ data, response }` or, when the API refused, to `{ error, response }`. */
export type PenstockClient = Client<paths>;

/**
 * Parses answers with `readPlainJson`. The Content-Length is set because openapi-fetch calls the response's `json()`
 * only when the length is known.
 */
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

/**
 * Creates a client of the API. Integers keep every digit (`number`, or `bigint` beyond the safe range). Its methods
 * reject only with what `fetch` rejects with.
 */
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
