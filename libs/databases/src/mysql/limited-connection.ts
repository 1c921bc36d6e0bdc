import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import type { Duplex } from 'node:stream';
import { AnswerLimit } from '../database/answer-limit';
import { unreadableFault } from '../database/unreadable-fault';
import { WholeMessages } from '../database/whole-messages';
import { MYSQL_FRAMING } from './framing';

/** What the types of the driver leave out. */
interface Receiving {
  /** Encrypted or plain: the one that is read at the time. */
  readonly stream: Duplex;
  /** Is given what the server sends. */
  packetParser: { execute(chunk: Buffer): void };
}

/** A connection, and what may still come in answer to the latest statement. */
export interface LimitedMysql {
  readonly connection: Connection;
  readonly answers: AnswerLimit;
}

/** Makes a connection that is ended with a `DatabaseFault` when the server sends more than {@link AnswerLimit} allows. */
export const createLimitedConnection = (options: ConnectionOptions): LimitedMysql => {
  const connection = createConnection(options);
  const answers = new AnswerLimit();
  const receiving = connection as unknown as Receiving;
  const parser = receiving.packetParser;
  const packets = new WholeMessages(MYSQL_FRAMING, answers, (whole) => {
    parser.execute(whole);
  });
  receiving.packetParser = {
    execute: (chunk) => {
      try {
        packets.take(chunk);
      } catch (error) {
        receiving.stream.destroy(unreadableFault(error));
      }
    },
  };
  return { connection, answers };
};
