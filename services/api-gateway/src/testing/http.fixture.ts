import { type IncomingHttpHeaders, request, type RequestOptions } from 'node:http';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with its Content-Length. */
  readonly body?: string | Buffer;
  /** Sent in chunks without a length, instead of `body`. */
  readonly chunks?: readonly Buffer[];
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one request on a connection of its own; adds no headers. */
export const send = (
  url: string,
  { method = 'POST', headers = {}, body, chunks }: Sent,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const options: RequestOptions = { method, headers: { ...headers }, agent: false };
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    if (length !== undefined) options.headers = { 'Content-Length': length, ...headers };
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on('error', reject);
    for (const chunk of chunks ?? []) sent.write(chunk);
    sent.end(body);
  });

export const jsonOf = ({ text }: Answered): unknown => JSON.parse(text);
