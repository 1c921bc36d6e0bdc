import type { LoggerService } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import {
  catchError,
  concat,
  concatMap,
  lastValueFrom,
  map,
  type Observable,
  of,
  pairwise,
} from 'rxjs';
import { LogOverloaded, LogUnavailable, type MessageLog } from '../message-log';
import {
  CUT_OFF,
  type ErrorReply,
  errorReplyOf,
  INTERNAL_ERROR,
  TOO_MANY,
  unknownPattern,
} from './error-reply';
import { LogRequestContext } from './log-request-context';
import { type ReplyMessage, type RequestMessage, WITHDRAWAL } from './message-format';
import { RequestReader, type TakenRequest } from './request-reader';

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_MAX_DETACHED = 100;

/** Topics and limits of a server. */
export interface LogServerOptions {
  readonly log: MessageLog;
  /** Instances of one service share a group: each request is handled by one of them. */
  readonly group: string;
  /**
   * Topics of requests. Default `commands`. The first topic is read by the group, each other one by a group of its own,
   * named `<group>.<topic>`: requests of one topic never wait for those of another.
   */
  readonly requests?: readonly string[];
  /** Topic for replies. Default `replies`. */
  readonly replies?: string;
  /** Maximal number of keys of one partition that are handled concurrently. Default 16. */
  readonly concurrency?: number;
  /** Maximal number of concurrent requests to detached handlers; further ones are refused. Default 100. */
  readonly maxDetached?: number;
  /**
   * Whether an error means that a dependency is unavailable: the request is then redelivered instead of answered.
   * Always the case for an unavailable log.
   */
  readonly isRetriable?: (error: unknown) => boolean;
  /** Receives errors that are not sent to the requester unchanged. */
  readonly logger?: Pick<LoggerService, 'error' | 'warn'>;
  /**
   * Wraps the handling of a request, including its log lines, for example in a context. The third argument is the
   * `traceparent` of the span that has sent it, if it carries one.
   */
  readonly within?: <T>(data: unknown, handle: () => T, traceparent: string | undefined) => T;
}

const [BEFORE, AFTER] = [Symbol('before'), Symbol('after')];
/** Extra of a handler that may take long: `@MessagePattern('Ask', { detached: true })`, or a function of the data. */
type Detached = boolean | ((data: unknown) => boolean);

const isDetached = ({ extras }: MessageHandler, data: unknown): boolean => {
  const { detached = false } = (extras ?? {}) as { readonly detached?: Detached };
  return typeof detached === 'function' ? detached(data) : detached;
};

const alone = <T>(_: unknown, handle: () => T): T => handle();

type Packet = Pick<ReplyMessage, 'response' | 'error'>;
type Respond = (reply: Omit<ReplyMessage, 'id'>) => Promise<void>;

/** What answering a request takes. */
interface Answering {
  readonly context: LogRequestContext;
  readonly withdrawal: AbortController;
  readonly respond: Respond;
}

/**
 * Nest transport on the log: `@MessagePattern` handlers answer requests of the request topic over the reply topic,
 * `@EventPattern` handlers receive events from it.
 *
 * A request whose deadline has passed is skipped. An error is an answer and does not block the partition, except when
 * it is retriable. Use {@link PassErrorsOn} as the application's filter, or Nest hides every error.
 *
 * A handler with the extra `detached` (true, or a function of the data) may take long: its requests block nothing, are
 * handled in no order, and are lost when the process ends; the requester gets no answer then. Too many at once are refused
 * as ServiceUnavailable, and a retriable error is answered with it.
 */
export class LogServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('log');
  private readonly readers: RequestReader[] = [];
  /** Requests of detached handlers that are under way. */
  private readonly running = new Set<Promise<void>>();
  /** What withdraws them, by their ids. */
  private readonly detached = new Map<string, AbortController>();
  private readonly reporter: Pick<LoggerService, 'error' | 'warn'>;
  private readonly replies: string;

  constructor(private readonly options: LogServerOptions) {
    super();
    this.reporter = options.logger ?? this.logger;
    this.replies = options.replies ?? 'replies';
  }

  /** Starts to read. The callback gets an error when the log is unavailable or a topic is missing. */
  override listen(callback: (error?: unknown) => void): void {
    this.start().then(
      () => {
        callback();
      },
      (error: unknown) => {
        callback(error);
      },
    );
  }

  /** Resolves when the requests in progress have been answered. */
  override async close(): Promise<void> {
    await Promise.all(this.readers.map((each) => each.stop()));
    await Promise.all(this.running);
  }

  override on(): never {
    throw new Error('the log has no events of its own');
  }

  /** Returns the {@link MessageLog}. */
  override unwrap<T>(): T {
    return this.options.log as T;
  }

  private async start(): Promise<void> {
    const { log, requests = ['commands'] } = this.options;
    await log.partitionsOf(this.replies);
    for (const [index, topic] of requests.entries()) await this.read(topic, index === 0);
  }

  private async read(topic: string, isFirst: boolean): Promise<void> {
    const { log, group, concurrency = DEFAULT_CONCURRENCY } = this.options;
    const reader = new RequestReader({
      log,
      topic,
      group: isFirst ? group : `${group}.${topic}`,
      concurrency,
      handle: (taken) => this.take(taken, topic),
      onWithdrawn: (id) => this.detached.get(id)?.abort(),
      onFault: (what, error) => {
        this.reporter.error(what, error);
      },
    });
    this.readers.push(reader);
    await reader.start();
  }

  private async take(taken: TakenRequest, topic: string): Promise<void> {
    const { record, request, withdrawal } = taken;
    if (!request) {
      this.reporter.warn(
        `the record at partition ${record.partition} offset ${record.offset} of topic ${topic} is no request and was skipped`,
      );
      return;
    }
    if (request.pattern === WITHDRAWAL || withdrawal.signal.aborted) return;
    if (request.deadlineMs !== undefined && request.deadlineMs < Date.now()) return;
    const { within = alone } = this.options;
    await within(request.data, () => this.handle(request, taken), request.traceparent);
  }

  private async handle(request: RequestMessage, taken: TakenRequest): Promise<void> {
    const handler = this.messageHandlers.get(request.pattern);
    const { record, withdrawal } = taken;
    const context = new LogRequestContext([record, request, withdrawal.signal]);
    if (request.id === undefined || request.replyTo === undefined)
      await this.takeEvent(request, context, handler);
    else {
      const respond = this.respondTo(request.pattern, request.id, request.replyTo);
      await this.answer({ ...request, id: request.id }, { context, withdrawal, respond }, handler);
    }
  }

  /** Calls the first handler of an event; Nest calls the others with it. */
  private async takeEvent(
    request: RequestMessage,
    context: LogRequestContext,
    handler: MessageHandler | undefined,
  ): Promise<void> {
    if (!handler) return;
    try {
      const stream = this.transformToObservable<unknown>(handler(request.data, context));
      await lastValueFrom(stream, { defaultValue: undefined });
    } catch (error) {
      if (this.isRetriable(error)) throw error;
      this.reporter.error(`the handler of event ${request.pattern} has failed`, error);
    }
  }

  private respondTo(pattern: string, id: string, replyTo: string): Respond {
    const append = async (reply: Omit<ReplyMessage, 'id'>): Promise<void> => {
      const value = JSON.stringify({ id, ...reply });
      await this.options.log.append(this.replies, [{ key: replyTo, value }]);
    };
    return (reply) =>
      append(reply).catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
        this.reporter.error(`an answer to ${pattern} is too large`, error);
        return append({ error: INTERNAL_ERROR, isLast: true });
      });
  }

  private async answer(
    { pattern, data, id }: RequestMessage & { readonly id: string },
    { context, withdrawal, respond }: Answering,
    handler: MessageHandler | undefined,
  ): Promise<void> {
    if (!handler) return respond({ error: unknownPattern(pattern), isLast: true });
    const handle = (): Promise<void> => {
      const stream = this.transformToObservable<unknown>(handler(data, context));
      return this.respondWith(stream, pattern, respond);
    };
    let detached: boolean;
    try {
      detached = isDetached(handler, data);
    } catch (error) {
      return respond({ error: this.toErrorReply(error, pattern), isLast: true });
    }
    if (!detached) return handle();
    const { maxDetached = DEFAULT_MAX_DETACHED } = this.options;
    if (this.running.size >= maxDetached) return respond({ error: TOO_MANY, isLast: true });
    this.detached.set(id, withdrawal);
    const fail = (error: unknown): Promise<void> => {
      this.reporter.error(`a request ${pattern} could not be answered`, error);
      return respond({ error: CUT_OFF, isLast: true }).catch(() => undefined);
    };
    this.detach(handle().catch(fail), id, withdrawal);
  }

  private detach(answering: Promise<void>, id: string, withdrawal: AbortController): void {
    const done = answering.finally(() => {
      this.running.delete(done);
      if (this.detached.get(id) === withdrawal) this.detached.delete(id);
    });
    this.running.add(done);
  }

  /** Sends each value with a delay of one, so that the last can be marked. */
  private async respondWith(
    stream: Observable<unknown>,
    pattern: string,
    respond: Respond,
  ): Promise<void> {
    const packets = stream.pipe(
      map((response): Packet => ({ response })),
      catchError((error: unknown) => of<Packet>({ error: this.toErrorReply(error, pattern) })),
    );
    const sent = concat(of(BEFORE), packets, of(AFTER)).pipe(
      pairwise(),
      concatMap(async ([packet, next]) => {
        const isLast = next === AFTER ? ({ isLast: true } as const) : {};
        if (typeof packet === 'object') await respond({ ...packet, ...isLast });
        else if (next === AFTER) await respond(isLast);
      }),
    );
    await lastValueFrom(sent);
  }

  /** @throws the error itself when it is retriable. */
  private toErrorReply(error: unknown, pattern: string): ErrorReply {
    if (this.isRetriable(error)) throw error;
    const reply = errorReplyOf(error);
    if (!reply) this.reporter.error(`the handler of ${pattern} has failed`, error);
    return reply ?? INTERNAL_ERROR;
  }

  private isRetriable(error: unknown): boolean {
    if (error instanceof LogUnavailable || error instanceof LogOverloaded) return true;
    return this.options.isRetriable?.(error) ?? false;
  }
}
