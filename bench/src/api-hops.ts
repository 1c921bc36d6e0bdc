import { type Recorded, type Request, type StateRecord, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import type { Pool } from 'pg';
import type { Exchange } from './load-generator';
import { percentile } from './percentile';

/** Times of one request, in milliseconds since 1970. */
export interface Moments {
  readonly due: number;
  readonly sent: number;
  /** When the log took the command's record. */
  readonly commandTaken: number;
  /** When the transaction began. */
  readonly begun: number;
  /** When the log took the answer's record. */
  readonly replyTaken: number;
  /** When the log took the new state's record. */
  readonly stateTaken: number;
  readonly answered: number;
}

const TOPICS = [TOPIC.commands, TOPIC.replies, TOPIC.configurationState] as const;
type Topic = (typeof TOPICS)[number];

interface RequestRecord {
  readonly id: string;
  readonly data: Request<unknown>;
}
interface ReplyRecord {
  readonly id: string;
  readonly response?: Partial<Recorded<unknown>>;
}

const read = <T>({ value }: LogRecord): T => JSON.parse(value ?? 'null') as T;

/** The records of requests on the log and in the database, since it was opened; read afterwards, at no cost to them. */
export class Trail {
  private constructor(
    private readonly log: MessageLog,
    private readonly pool: Pool,
    private readonly marks: ReadonlyMap<Topic, readonly number[]>,
  ) {}

  static async from(log: MessageLog, pool: Pool): Promise<Trail> {
    const ends = TOPICS.map(async (topic) => [topic, await log.endOffsets(topic)] as const);
    return new Trail(log, pool, new Map(await Promise.all(ends)));
  }

  /** The times of each request. @throws Error when a request has left no records. */
  async moments(exchanges: readonly Exchange[], idOf: (nth: number) => string): Promise<Moments[]> {
    const commands = await this.commands();
    const replies = await this.replies();
    const states = await this.states();
    const begun = await this.begun([...replies.keys()]);
    return exchanges.map(({ nth, dueMs, sentMs, answeredMs }) => {
      const command = commands.get(idOf(nth));
      const reply = replies.get(command?.id ?? '');
      if (command === undefined || reply === undefined)
        throw new Error(`request ${idOf(nth)} has left no trail on the log`);
      return {
        due: dueMs,
        sent: sentMs,
        commandTaken: command.takenMs,
        begun: begun.get(command.id) ?? Number.NaN,
        replyTaken: reply.takenMs,
        stateTaken: states.get(reply.position ?? 0) ?? Number.NaN,
        answered: answeredMs,
      };
    });
  }

  /** Commands by the id of the request. */
  private async commands() {
    const records = await this.records(TOPIC.commands);
    return new Map(
      records.map((record) => {
        const { id, data } = read<RequestRecord>(record);
        return [data.context.requestId, { id, takenMs: record.timestampMs }];
      }),
    );
  }

  /** Replies by the id of the command. */
  private async replies() {
    const records = await this.records(TOPIC.replies);
    return new Map(
      records.map((record) => {
        const { id, response } = read<ReplyRecord>(record);
        return [id, { position: response?.position, takenMs: record.timestampMs }];
      }),
    );
  }

  /** When the log took each state, by position. */
  private async states(): Promise<ReadonlyMap<number, number>> {
    const records = await this.records(TOPIC.configurationState);
    return new Map(
      records
        .filter(({ value }) => value !== null)
        .map((record) => [read<StateRecord>(record).position, record.timestampMs]),
    );
  }

  private async records(topic: Topic): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    const reader = await this.log.follow({
      topic,
      from: new Map(this.marks.get(topic)?.entries()),
      onBatch: (_, batch) => {
        records.push(...batch);
        return Promise.resolve();
      },
    });
    await reader.caughtUp();
    await reader.stop();
    return records;
  }

  /** When each transaction began, by command: the time of its stored reply. */
  private async begun(commands: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ id: string; ms: string }>(
      `SELECT command_id AS id, extract(epoch FROM answered_at) * 1000 AS ms
       FROM penstock.replies WHERE command_id = ANY ($1)`,
      [commands],
    );
    return new Map(rows.map(({ id, ms }) => [id, Number(ms)]));
  }
}

/** A section of a request; the hops add up to the request. */
export interface Hop {
  readonly title: string;
  /** Its duration in milliseconds. */
  readonly of: (moments: Moments) => number;
}

const seen = ({ replyTaken, stateTaken }: Moments): number => Math.max(replyTaken, stateTaken);

export const PUT_HOPS: readonly Hop[] = [
  { title: 'client: due → sent', of: ({ due, sent }) => sent - due },
  {
    title: 'gateway: sent → command taken (HTTP, key, shape, log)',
    of: ({ sent, commandTaken }) => commandTaken - sent,
  },
  {
    title: 'pipeline service: command taken → transaction begins (log read, turn, facts, decision)',
    of: ({ commandTaken, begun }) => begun - commandTaken,
  },
  {
    title: 'pipeline service: transaction begins → answer taken (facts, views, commit, log)',
    of: ({ begun, replyTaken }) => replyTaken - begun,
  },
  {
    title: 'relay: answer taken → state taken too',
    of: (moments) => seen(moments) - moments.replyTaken,
  },
  {
    title: 'back: both taken → answered (log read, replica, HTTP)',
    of: (moments) => moments.answered - seen(moments),
  },
];

export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}

export const spread = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / Math.max(1, sorted.length),
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  };
};
