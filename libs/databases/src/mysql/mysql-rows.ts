import type { PrepareStatementInfo } from 'mysql2';
import { RowQueue } from '../database/row-queue';
import type { Cell, MysqlSession } from './session';

type Row = readonly (Cell | null)[];

const sizeOfCell = (cell: Cell | null): number =>
  cell === null || typeof cell === 'number' ? 8 : 8 + cell.length;

const sizeOf = (row: Row): number => row.reduce<number>((sum, cell) => sum + sizeOfCell(cell), 0);

/** A statement that runs. */
export interface MysqlRows {
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Whether the server has nothing left to do. */
  readonly isDone: () => boolean;
}

/** Runs a statement. The server sends rows only as fast as they are read: it waits when the connection does. */
export const runMysql = (session: MysqlSession, statement: PrepareStatementInfo): MysqlRows => {
  const queue = new RowQueue<Row>(session.connection, sizeOf);
  let isDone = false;
  session.answers.beginRows();
  const running = statement.execute([]);
  running.on('result', (row) => {
    session.answers.row(0);
    queue.push(row as unknown as Row);
  });
  running.on('error', (error) => {
    isDone = true;
    queue.finish(error);
  });
  // The driver reports a lost connection to the connection alone.
  session.connection.on('error', (error: Error) => {
    queue.finish(error);
  });
  running.on('end', () => {
    isDone = true;
    queue.finish();
  });
  return { batches: queue.batches(), isDone: () => isDone };
};
