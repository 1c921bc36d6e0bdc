import { request } from 'node:http';

/** A request with exactly these headers. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request with only the given headers and those that HTTP requires, which `fetch` cannot guarantee. */
export const post = ({ url, headers, body }: Post): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(
      url,
      { method: 'POST', headers: { ...length, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
