import type { AnswerLimit } from '../database/answer-limit';
import { DatabaseFault } from '../database/database-fault';
import type { Framing } from '../database/whole-messages';

/** Of a message: its kind. Of its length, which counts itself but not the kind. */
const KIND_BYTES = 1;
const LENGTH_BYTES = 4;

/** Kinds of messages. Source: PostgreSQL, "Message Formats". */
const COMMAND_COMPLETE = 0x43;
const DATA_ROW = 0x44;
const ERROR = 0x45;
const NOTICE = 0x4e;
const ROW_DESCRIPTION = 0x54;

const COUNT_BYTES = 2;
const NULL_LENGTH = -1;

const strange = (): never => {
  throw new DatabaseFault('Unreachable', 'the database server does not speak as a PostgreSQL does');
};

/** The cells fill the row: the driver would read what is beside it, once for each. */
const cellsOf = (bytes: Buffer, start: number, end: number): number => {
  if (end - start < COUNT_BYTES) strange();
  const count = bytes.readInt16BE(start);
  let at = start + COUNT_BYTES;
  for (let cell = 0; cell < count; cell += 1) {
    if (end - at < LENGTH_BYTES) strange();
    const length = bytes.readInt32BE(at);
    if (length < NULL_LENGTH) strange();
    at += LENGTH_BYTES + Math.max(length, 0);
  }
  return count >= 0 && at === end ? count : strange();
};

/** The fields of an error or a notice end with one that is empty: the driver would look for it for ever. */
const checkFields = (bytes: Buffer, start: number, end: number): void => {
  const isEnded = end > start && bytes[end - 1] === 0;
  if (!isEnded || (end - start > 1 && bytes[end - 2] !== 0)) strange();
};

/** The messages of the server of one connection. */
export class PostgresqlFraming implements Framing {
  readonly headerBytes = KIND_BYTES + LENGTH_BYTES;
  /** Of the rows that may come: those of a statement have been described, unless they are taken as they come. */
  private columns = 0;

  constructor(private readonly answers: Pick<AnswerLimit, 'isOfRows'>) {}

  messageBytes(bytes: Buffer, start: number): number {
    const length = bytes.readUInt32BE(start + KIND_BYTES);
    return length < LENGTH_BYTES ? strange() : KIND_BYTES + length;
  }

  check(bytes: Buffer, start: number, end: number): number | undefined {
    const body = start + this.headerBytes;
    switch (bytes[start]) {
      case DATA_ROW: {
        const cells = cellsOf(bytes, body, end);
        return this.answers.isOfRows || cells === this.columns ? cells : strange();
      }
      case ROW_DESCRIPTION:
        this.columns = end - body < COUNT_BYTES ? strange() : bytes.readInt16BE(body);
        return undefined;
      case COMMAND_COMPLETE:
        this.columns = 0;
        return undefined;
      case ERROR:
      case NOTICE:
        checkFields(bytes, body, end);
        return undefined;
      default:
        return undefined;
    }
  }
}
