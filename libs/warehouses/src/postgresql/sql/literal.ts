import { escapeLiteral } from 'pg';

/** As `escapeLiteral`, which takes a text apart character by character: a long one takes a millisecond that way. */
export const literal = (text: string): string =>
  text.includes('\\') ? escapeLiteral(text) : `'${text.replaceAll("'", "''")}'`;
