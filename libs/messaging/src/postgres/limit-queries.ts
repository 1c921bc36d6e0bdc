import type { Client, ClientBase, QueryResult } from 'pg';

/** The driver's `query`, in all forms of its arguments. */
type Callback = (error: Error | null | undefined, result: QueryResult) => void;
type Send = (statement: unknown, values?: unknown, callback?: Callback) => unknown;

interface Limited {
  readonly query_timeout?: number | undefined;
}

const hasLimit = (statement: unknown): statement is Limited =>
  typeof statement === 'object' && statement !== null && 'query_timeout' in statement;

/** Replaces the stack, so that it shows the caller of the statement instead of the socket's event. */
const fromHere = (error: Error): never => {
  Error.captureStackTrace(error);
  throw error;
};

/** Cursors and streams, which the driver returns unchanged. */
const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;

/**
 * Runs the statements of one session with a time limit. A statement that exceeds it ends the session: its outcome is
 * unknown, and no further statement could be sent.
 *
 * With the driver's own `query_timeout`, or with its promises, each statement keeps the next one alive until V8 has
 * moved both, parameters and rows included, to the old generation: at 1,000 events a second 3.8 MB a second instead of
 * 0.2, which caused most of the long garbage collections.
 */
class LimitedQueries {
  /** Deadline of the statement in progress by `performance.now()`; Infinity: there is none. */
  private dueMs = Infinity;
  private lookMs = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly send: Send;

  constructor(
    private readonly client: ClientBase,
    private readonly limitMs: number,
  ) {
    this.send = (client.query as unknown as Send).bind(client);
    client.on('drain', () => {
      this.dueMs = Infinity;
    });
    client.on('end', () => {
      clearTimeout(this.timer);
    });
  }

  readonly query: Send = (statement, values, callback) => {
    const limitMs = (hasLimit(statement) ? statement.query_timeout : undefined) ?? this.limitMs;
    this.begin(performance.now() + limitMs);
    if (isSubmittable(statement)) return this.send(statement, values, callback);
    const own = hasLimit(statement) ? { ...statement, query_timeout: undefined } : statement;
    if (typeof values === 'function' || callback !== undefined)
      return this.send(own, values, callback);
    return new Promise<QueryResult>((resolve, reject) => {
      this.send(own, values, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    }).catch(fromHere);
  };

  private begin(dueMs: number): void {
    this.dueMs = dueMs;
    if (dueMs < this.lookMs) this.lookAt(dueMs);
  }

  private lookAt(ms: number): void {
    clearTimeout(this.timer);
    this.lookMs = ms;
    this.timer = setTimeout(this.look, Math.max(1, ms - performance.now()));
    this.timer.unref();
  }

  private readonly look = (): void => {
    this.lookMs = Infinity;
    if (this.dueMs === Infinity) return;
    if (this.dueMs > performance.now()) this.lookAt(this.dueMs);
    else (this.client as Client).connection.stream.destroy(new Error('Query read timeout'));
  };
}

/**
 * Sets a time limit for the statements of a new session. A statement that exceeds it fails with `Query read timeout`.
 *
 * @param limitMs for statements without a `query_timeout` of their own.
 */
export const limitQueries = (client: ClientBase, limitMs: number): void => {
  client.query = new LimitedQueries(client, limitMs).query as ClientBase['query'];
};
