import { DatabaseError } from 'pg';

/** SQLSTATE of what is wrong with data, and of what is too large for the server. Source: PostgreSQL, appendix A. */
const OF_DATA = /^(22|23|54)/;

/** The server quotes values, and names of tables that mean nothing to anybody: both between double quotes. */
const QUOTED = /: ".*$|"[^"]*"/gs;

const COLUMN = /\bcolumn (\w+)/;

/** Whether the server has refused what is in a row, rather than the statement. */
export const isRefusal = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && OF_DATA.test(error.code ?? '');

/** The server's reason, with the column where it names it, without any value. */
export const reasonOf = ({ message, where }: DatabaseError): string => {
  const column = COLUMN.exec(where ?? '')?.[1];
  const reason = message.replace(QUOTED, (text) => (text.startsWith(':') ? '' : '…'));
  return column === undefined ? reason : `${column}: ${reason}`;
};
