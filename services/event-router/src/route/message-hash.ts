import { hash } from 'node:crypto';

/**
 * What a message id is remembered by: 16 bytes of a SHA-256 over the order key (which begins with the source
 * connection) and the id, written as a UUID.
 */
export const messageHash = (orderKey: string, messageId: string): string => {
  const hex = hash('sha256', `${orderKey}\0${messageId}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};
