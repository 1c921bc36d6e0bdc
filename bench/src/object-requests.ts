import type { Requests } from './requests';

export interface ObjectRequestsOptions {
  readonly method: 'GET' | 'PUT';
  /** Used in turns. */
  readonly paths: readonly string[];
  readonly key: string;
  /** The body of a PUT; its `name` is different in each request, so that each changes something. */
  readonly body?: { readonly name: string };
  /** Prefix of the id of each request. */
  readonly prefix: string;
}

/** Requests for objects of the API, each with an id by which it can be found on the log. */
export class ObjectRequests implements Requests {
  constructor(private readonly options: ObjectRequestsOptions) {}

  id(nth: number): string {
    return `${this.options.prefix}${nth}`;
  }

  bytes(nth: number): Buffer {
    const { method, paths, key, body, prefix } = this.options;
    const text = body === undefined ? '' : JSON.stringify({ ...body, name: `${prefix}${nth}` });
    return Buffer.from(
      [
        `${method} ${paths[nth % paths.length] ?? '/'} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        `Request-Id: ${this.id(nth)}`,
        ...(text === ''
          ? []
          : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
        '',
        text,
      ].join('\r\n'),
    );
  }
}
