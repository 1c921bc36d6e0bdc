import { randomUUID } from 'node:crypto';
import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import type { LogRecord, MessageLog, Reader } from '../message-log';
import { LogRequest, type LogRequestOptions } from './log-request';
import { parseReply, type ReplyMessage, type RequestMessage, WITHDRAWAL } from './message-format';
import { RequestFailed, RequestTimeout } from './request-errors';

const DEFAULT_TIMEOUT_MS = 10_000;

/** Topics and time-out of a client. */
export interface LogClientOptions {
  readonly log: MessageLog;
  /** Identifies this process among all requesters; must be unique. Default: a generated one. */
  readonly instance?: string;
  /** Topic for requests. Default `commands`. */
  readonly requests?: string;
  /** Topic of replies. Default `replies`. */
  readonly replies?: string;
  /** Milliseconds to wait for an answer. Default 10,000. */
  readonly timeoutMs?: number;
  /** Returns the `traceparent` that a request carries which is sent now; undefined: none. Default: none. */
  readonly traceparent?: () => string | undefined;
}

type Callback = (packet: WritePacket) => void;

/** Wraps plain data into a request with a random key. */
const optionsOf = (data: unknown): LogRequestOptions<unknown> =>
  data instanceof LogRequest ? data.options : { key: randomUUID(), data };

/**
 * Sends requests over the log: `send` appends to the request topic and emits the answer from the reply topic, which is
 * read without a group from its end. Data is plain, or a {@link LogRequest} with a key.
 *
 * The answer's observable fails with `RequestTimeout`, with `RequestFailed` (the handler's own error), or with the
 * errors of the append (`LogUnavailable`, `LogOverloaded`).
 */
export class LogClient extends ClientProxy {
  readonly instance: string;
  private readonly waiting = new Map<string, Set<Callback>>();
  private readonly topics: { readonly requests: string; readonly replies: string };
  private replies: Promise<Reader> | undefined;

  constructor(private readonly options: LogClientOptions) {
    super();
    this.instance = options.instance ?? randomUUID();
    const { requests = 'commands', replies = 'replies' } = options;
    this.topics = { requests, replies };
  }

  /** Resolves when replies are being read. Called by `send` when necessary. @throws LogUnavailable */
  override async connect(): Promise<void> {
    this.replies ??= this.remember(this.readReplies());
    await this.replies;
  }

  /** Stops reading replies: pending requests get no answer. */
  override async close(): Promise<void> {
    const reader = await this.replies?.catch(() => undefined);
    this.replies = undefined;
    await reader?.stop();
  }

  /** Returns the {@link MessageLog}. */
  override unwrap<T>(): T {
    return this.options.log as T;
  }

  protected override publish({ pattern, data }: ReadPacket, callback: Callback): () => void {
    const request = optionsOf(data);
    const { commandId = randomUUID(), timeoutMs = this.timeoutMs, signal } = request;
    if (signal?.aborted === true) {
      callback({ err: signal.reason as Error });
      return () => undefined;
    }
    const name = this.normalizePattern(pattern as string);
    const forget = this.expect(commandId, callback);
    const fail = (err: Error) => {
      forget();
      callback({ err });
    };
    const withdraw = () => {
      fail(signal?.reason as Error);
      this.withdraw(request, commandId);
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    const timer = setTimeout(() => {
      fail(new RequestTimeout(name, timeoutMs));
    }, timeoutMs);
    const deadlineMs = Date.now() + timeoutMs;
    const traceparent = this.options.traceparent?.();
    const message = {
      pattern: name,
      data: request.data,
      id: commandId,
      replyTo: this.instance,
      deadlineMs,
      ...(traceparent !== undefined && { traceparent }),
    };
    this.append({ ...request, timeoutMs }, message).catch(fail);
    return () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', withdraw);
      forget();
    };
  }

  protected override async dispatchEvent<T>({ pattern, data }: ReadPacket): Promise<T> {
    const request = optionsOf(data);
    const name = this.normalizePattern(pattern as string);
    await this.append(request, { pattern: name, data: request.data });
    return undefined as T;
  }

  private get timeoutMs(): number {
    return this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  private async append(
    { key, topic = this.topics.requests, timeoutMs = this.timeoutMs }: LogRequestOptions<unknown>,
    message: RequestMessage,
  ): Promise<void> {
    const record = { key, value: JSON.stringify(message) };
    await this.options.log.append(topic, [record], { timeoutMs });
  }

  /** Unless somebody else here waits for the same command. A withdrawal that gets lost costs an answer to nobody. */
  private withdraw(request: LogRequestOptions<unknown>, id: string): void {
    if (this.waiting.has(id)) return;
    this.append(request, { pattern: WITHDRAWAL, data: null, id }).catch(() => undefined);
  }

  /** Registers a callback. Several may wait for one command id, when a command is repeated before its answer. */
  private expect(id: string, callback: Callback): () => void {
    const callbacks = this.waiting.get(id) ?? new Set<Callback>();
    this.waiting.set(id, callbacks.add(callback));
    return () => {
      callbacks.delete(callback);
      if (callbacks.size === 0 && this.waiting.get(id) === callbacks) this.waiting.delete(id);
    };
  }

  private readReplies(): Promise<Reader> {
    return this.options.log.follow({
      topic: this.topics.replies,
      otherwise: 'end',
      onBatch: (_, records) => {
        for (const record of records) this.onReply(record);
        return Promise.resolve();
      },
    });
  }

  /** Lets the next `connect` start a new reader when this one failed to start or has ended. */
  private remember(reading: Promise<Reader>): Promise<Reader> {
    const forget = () => {
      if (this.replies === reading) this.replies = undefined;
    };
    reading.then(({ ended }) => ended).then(forget, forget);
    return reading;
  }

  private onReply({ key, value }: LogRecord): void {
    if (key !== this.instance) return;
    const reply = parseReply(value);
    if (!reply) return;
    for (const callback of this.waiting.get(reply.id) ?? []) callback(packetOf(reply));
  }
}

const packetOf = ({ response, error, isLast }: ReplyMessage): WritePacket =>
  error ? { err: new RequestFailed(error) } : { response, isDisposed: isLast === true };
