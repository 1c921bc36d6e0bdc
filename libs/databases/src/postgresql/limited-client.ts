import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, Connection } from 'pg';
import { AnswerLimit } from '../database/answer-limit';
import { unreadableFault } from '../database/unreadable-fault';
import { WholeMessages } from '../database/whole-messages';
import { PostgresqlFraming } from './framing';

/** What the types of the driver leave out. */
interface Receiving {
  /** Reads what the server sends from the events `data` of the stream. */
  attachListeners(stream: Pick<Duplex, 'on'>): void;
  /** Writes a message, the last of which the server answers. */
  _send(message: Buffer): boolean;
}

const receiving = Connection.prototype as unknown as Receiving;

/**
 * A connection that is ended with a `DatabaseFault` when the server sends more than {@link AnswerLimit} allows, or what
 * would end or block this process.
 */
export class LimitedConnection extends Connection implements Receiving {
  readonly answers = new AnswerLimit();

  attachListeners(stream: Duplex): void {
    const checked = new EventEmitter();
    receiving.attachListeners.call(this, checked as Duplex);
    const framing = new PostgresqlFraming(this.answers);
    const messages = new WholeMessages(framing, this.answers, (whole) => {
      checked.emit('data', whole);
    });
    stream.on('data', (chunk: Buffer) => {
      try {
        messages.take(chunk);
      } catch (error) {
        stream.destroy(unreadableFault(error));
      }
    });
  }

  _send(message: Buffer): boolean {
    this.answers.begin();
    return receiving._send.call(this, message);
  }
}

/** A client whose connection is a {@link LimitedConnection}. */
export class LimitedClient extends Client {
  /** What may still come in answer to what was sent last. */
  readonly answers: AnswerLimit;

  constructor(config: ClientConfig = {}) {
    const connection = new LimitedConnection(config);
    // A pool hides the password: a copy would be without it.
    super(Object.create(config, { connection: { value: connection } }) as ClientConfig);
    this.answers = connection.answers;
  }
}
