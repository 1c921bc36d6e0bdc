import { hash } from 'node:crypto';

/** Hexadecimal digits of a UUID, which the database takes without its dashes. */
const DIGITS = 32;

/** What a message id is remembered by: a hash over the order key (which begins with the source connection) and the id. */
export const messageHash = (orderKey: string, messageId: string): string =>
  hash('sha256', `${orderKey}\0${messageId}`, 'hex').slice(0, DIGITS);
