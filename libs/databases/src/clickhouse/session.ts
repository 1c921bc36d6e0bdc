import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AnswerLimit } from '../database/answer-limit';
import type { DatabaseCall } from '../database/database';
import type { DatabaseFault, DatabaseFaultKind } from '../database/database-fault';
import { BadValue } from '../database/source-column';
import { unreadableFault } from '../database/unreadable-fault';
import { type Cell, ClickhouseAnswer, textIn } from './clickhouse-answer';
import { clickhouseFaultOf } from './clickhouse-fault';
import { clickhouseText } from './clickhouse-literal';
import { type ClickhouseRequest, post } from './clickhouse-request';
import type { ClickhouseTarget } from './clickhouse-settings';
import type { TimeWriting } from './column-types';

/** Milliseconds for ending a statement over a second connection. */
const KILL_TIMEOUT_MS = 5_000;

const FORMAT = { default_format: 'JSONCompact' };

/**
 * Settings of statements that read; those that a server does not have are left out. Numbers are not quoted, since those
 * within JSON would become texts.
 */
const READING: Readonly<Record<string, string>> = {
  date_time_output_format: 'iso',
  output_format_json_quote_denormals: '1',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_quote_decimals: '0',
  http_write_exception_in_output_format: '0',
  cancel_http_readonly_queries_on_client_close: '1',
  send_progress_in_http_headers: '0',
  wait_end_of_query: '0',
};

/** Settings of statements that write; those that a server does not have are left out. */
const WRITING: Readonly<Record<string, string>> = {
  date_time_input_format: 'best_effort',
  async_insert: '0',
  // Rows that were written before, and others after them, are no repetition.
  insert_deduplicate: '0',
  wait_end_of_query: '1',
  input_format_null_as_default: '0',
};

/** It gives at least the row of `readonly`, and is refused when there is no such user or database. */
const SETTINGS = 'SELECT name, value, timezone() FROM system.settings WHERE name IN ';

const quoted = (names: readonly string[]): string =>
  `(${names.map((name) => clickhouseText(name)).join(', ')})`;

const nothing = (): Promise<void> => Promise.resolve();

type Row = readonly (Cell | null)[];

/** A ClickHouse, and what it lets its user set. There is no connection between statements. */
export class ClickhouseSession {
  /** @throws DatabaseFault Unreachable, Refused */
  static async open(target: ClickhouseTarget, call: DatabaseCall): Promise<ClickhouseSession> {
    const session = new ClickhouseSession(target, call);
    try {
      await session.readSettings();
      return session;
    } catch (error) {
      throw session.faultOf(error);
    }
  }

  private readonly had = new Map<string, string>();
  private zone = 'UTC';

  private constructor(
    readonly target: ClickhouseTarget,
    private readonly call: DatabaseCall,
  ) {}

  /** How times are written in what {@link read} gives. */
  get times(): TimeWriting {
    return { isUtc: 'date_time_output_format' in this.settable(READING), zone: this.zone };
  }

  /** How times may be written by {@link write}: with their zone. */
  readonly written: TimeWriting = { isUtc: true, zone: 'UTC' };

  /** Why something has failed. @param refused what it means when the server refuses. */
  faultOf(error: unknown, refused?: DatabaseFaultKind): DatabaseFault {
    return clickhouseFaultOf(error, this.target.password, this.call.signal, refused);
  }

  /** Runs a statement that only reads: one that writes is refused by the server. */
  async read(text: string): Promise<ReadStatement> {
    // A user who may not set it may not write either.
    const isReadOnly = /^[12]$/.test(this.had.get('readonly') ?? '');
    const readonly = isReadOnly ? {} : { readonly: '2' };
    const parameters = { ...FORMAT, ...readonly, ...this.settable(READING) };
    const id = randomUUID();
    const limit = new AnswerLimit();
    limit.beginRows();
    return ReadStatement.run(
      this.target,
      { text, parameters: { ...parameters, query_id: id } },
      this.call,
      { limit, kill: () => killStatement(this.target, id, this.call) },
    );
  }

  /** All rows of a statement of our own, which is short. */
  async rows(text: string): Promise<readonly Row[]> {
    const request = { text, parameters: FORMAT };
    const limit = new AnswerLimit();
    const statement = await ReadStatement.run(this.target, request, this.call, {
      limit,
      kill: nothing,
    });
    try {
      const rows: Row[] = [];
      for await (const batch of statement.answer.batches())
        for (const row of batch) {
          if (row instanceof BadValue) throw unreadableFault(row);
          rows.push(row);
        }
      return rows;
    } finally {
      await statement.close();
    }
  }

  /** Runs a statement that writes, to its end. */
  async write(text: Buffer): Promise<void> {
    const response = await post(
      this.target,
      { text, parameters: this.settable(WRITING) },
      this.call,
    );
    const limit = new AnswerLimit();
    for await (const chunk of response as AsyncIterable<Buffer>) limit.message(chunk.length);
  }

  private settable(wanted: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.had.get('readonly') === '1') return {};
    return Object.fromEntries(
      Object.entries(wanted).filter(([name]) => this.had.has(name) || name === 'wait_end_of_query'),
    );
  }

  private async readSettings(): Promise<void> {
    const names = ['readonly', ...Object.keys(READING), ...Object.keys(WRITING)];
    const rows = await this.rows(`${SETTINGS}${quoted(names)}`);
    for (const [name = null, value = null, zone] of rows) {
      this.had.set(textIn(name), textIn(value));
      if (typeof zone === 'string') this.zone = zone;
    }
  }
}

/** How the answer to a statement is read. */
interface Reading {
  /** How much of it is taken. */
  readonly limit: AnswerLimit;
  /** Ends the statement at the server. */
  readonly kill: () => Promise<void>;
}

/** A statement that runs. */
export class ReadStatement {
  /** @throws ClickhouseError, DatabaseFault; else what the connection fails with. */
  static async run(
    target: ClickhouseTarget,
    request: ClickhouseRequest,
    call: DatabaseCall,
    { limit, kill }: Reading,
  ): Promise<ReadStatement> {
    let response: IncomingMessage | undefined;
    try {
      response = await post(target, request, call);
      return new ReadStatement(await ClickhouseAnswer.of(response, limit), response, kill);
    } catch (error) {
      response?.destroy();
      if (call.signal.aborted) await kill();
      throw error;
    }
  }

  private closing: Promise<void> | undefined;

  private constructor(
    readonly answer: ClickhouseAnswer,
    private readonly response: IncomingMessage,
    private readonly kill: () => Promise<void>,
  ) {}

  /** Ends the statement if it runs; may be called again. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.response.destroy();
    if (!this.answer.isDone) await this.kill();
  }
}

/** Old servers go on with a statement whose connection is gone. Best effort. */
const killStatement = async (
  target: ClickhouseTarget,
  id: string,
  { sockets }: DatabaseCall,
): Promise<void> => {
  const text = `KILL QUERY WHERE query_id = ${clickhouseText(id)}`;
  try {
    const signal = AbortSignal.timeout(KILL_TIMEOUT_MS);
    const response = await post(target, { text, parameters: {} }, { sockets, signal });
    response.destroy();
  } catch {
    // The server is away, and the statement with it, or it ends the statement when it writes to the connection.
  }
};
