import type { OutgoingRequest } from '../connector/guarded-http';
import { USER_AGENT } from '../connector/user-agent';

export interface DraftHeader {
  readonly name: string;
  readonly value: string;
  /** What people see instead of a value that is secret or that only the moment of sending decides. */
  readonly shown?: string;
}

/** A request before it is sent or shown. */
export interface Draft {
  readonly method: OutgoingRequest['method'];
  readonly url: string;
  readonly headers: readonly DraftHeader[];
  readonly body: string;
}

export const toRequest = (
  { method, url, headers, body }: Draft,
  sending: Pick<OutgoingRequest, 'timeoutMs' | 'mayWrite'>,
): OutgoingRequest => ({
  method,
  url,
  headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  body,
  ...sending,
});

/** Method and URL, headers, blank line, body. */
export const printDraft = ({ method, url, headers, body }: Draft): string =>
  [
    `${method} ${url}`,
    `User-Agent: ${USER_AGENT}`,
    ...headers.map(({ name, value, shown }) => `${name}: ${shown ?? value}`),
    '',
    body,
  ].join('\n');
