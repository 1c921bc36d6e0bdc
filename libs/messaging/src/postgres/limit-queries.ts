import type { Client, ClientBase, QueryResult } from 'pg';

/** What the driver does with a statement, whichever way its arguments are written. */
type Callback = (error: Error | null | undefined, result: QueryResult) => void;
type Send = (statement: unknown, values?: unknown, callback?: Callback) => unknown;

interface Limited {
  readonly query_timeout?: number | undefined;
}

const hasLimit = (statement: unknown): statement is Limited =>
  typeof statement === 'object' && statement !== null && 'query_timeout' in statement;

/** The error says where the statement was made, not that the socket was read. */
const fromHere = (error: Error): never => {
  Error.captureStackTrace(error);
  throw error;
};

/** Cursors and streams, which the driver gives back as they are. */
const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;

/**
 * The statements of one session, with a time limit. A statement that exceeds it ends the session: its outcome is unknown,
 * and nothing could be sent behind it.
 *
 * The driver has a limit of its own, `query_timeout`. With it, or with a promise that the driver makes, each statement
 * keeps the next one alive until V8 has moved both, parameters and rows included, to the old generation: at 1,000 events
 * a second 3.8 MB a second instead of 0.2, and most of the long collections came of that.
 */
class LimitedQueries {
  /** By `performance.now()`: when what is under way has taken too long; Infinity: nothing is. */
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
 * Gives the statements of a new session a time limit. A statement that exceeds it fails with `Query read timeout`.
 *
 * @param limitMs where the statement names no `query_timeout` of its own.
 */
export const limitQueries = (client: ClientBase, limitMs: number): void => {
  client.query = new LimitedQueries(client, limitMs).query as ClientBase['query'];
};
