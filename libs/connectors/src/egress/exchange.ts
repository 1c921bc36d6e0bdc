import type { Dispatcher } from 'undici';
import { codeOf, EgressRefused, unreachableReason } from '@penstock/egress';
import { NoAnswer, NotAllowed, NotWritten, type IncomingResponse } from '../connector/guarded-http';

/** Error codes of undici itself, beside those of the network. */
const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_BODY_TIMEOUT: 'answer has stopped',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_DESTROYED: 'client is closed',
  UND_ERR_CLOSED: 'client is closed',
  UND_ERR_HEADERS_TIMEOUT: 'there is no answer in time',
  UND_ERR_HEADERS_OVERFLOW: 'answer is not valid HTTP',
  UND_ERR_INVALID_ARG: 'request is not valid HTTP',
  UND_ERR_NOT_SUPPORTED: 'request is not valid HTTP',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer is not valid HTTP',
  UND_ERR_SOCKET: 'connection was closed before the answer',
};

/** Why there was no answer, in a few words. Made from the error's code alone. */
const noAnswerReason = (error: Error): string => {
  const code = codeOf(error);
  const known = REASONS[code] ?? unreachableReason(error);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'answer is not valid HTTP';
  return code === '' ? 'request failed' : `request failed (${code})`;
};

/** Why there was no answer, as an error. */
export const noAnswerFor = (error: Error): NoAnswer =>
  error instanceof EgressRefused
    ? new NotAllowed(error.message)
    : new NoAnswer(noAnswerReason(error));

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** One request and its answer. It settles once; what comes later is discarded with its connection. */
export class Exchange implements Dispatcher.DispatchHandler {
  private controller: Controller | undefined;
  private settled = false;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    /** Called when a connection is there, right before the request is written to it. */
    private readonly mayWrite: () => boolean,
    private readonly onAnswer: (response: IncomingResponse) => void,
    private readonly onNoAnswer: (reason: NoAnswer) => void,
  ) {}

  /** Ends the exchange wherever it stands, also before it was sent. */
  giveUp(reason: string): void {
    this.end(new NoAnswer(reason));
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    if (this.settled) controller.abort(new NoAnswer('given up before it was sent'));
    else if (!this.mayWrite()) this.end(new NotWritten());
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    this.status = status;
    this.headers = plain(headers);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.settled) return;
    this.chunks.push(chunk.subarray(0, this.maxBytes - this.bytes));
    this.bytes += chunk.length;
    if (this.bytes <= this.maxBytes) return;
    this.answer();
    controller.abort(new NoAnswer('rest of the answer is discarded'));
  }

  onResponseEnd(): void {
    this.answer();
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.onNoAnswer(noAnswerFor(error));
  }

  private end(reason: NoAnswer): void {
    if (this.settled) return;
    this.settled = true;
    this.controller?.abort(reason);
    this.onNoAnswer(reason);
  }

  private answer(): void {
    if (this.settled) return;
    this.settled = true;
    const body = this.chunks.length === 0 ? '' : Buffer.concat(this.chunks).toString();
    this.onAnswer({ status: this.status, headers: this.headers, body });
  }
}

const plain = (headers: Headers): Record<string, string> => {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) single[name] = typeof value === 'string' ? value : value.join(', ');
  return single;
};
