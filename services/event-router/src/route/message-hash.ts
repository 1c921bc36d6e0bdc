import { createHash } from 'node:crypto';

/**
 * What a message id is remembered by: 16 bytes of a SHA-256 over the order key (which begins with the source
 * connection) and the id, written as a UUID.
 */
export const messageHash = (orderKey: string, messageId: string): string => {
  const hex = createHash('sha256').update(orderKey).update('\0').update(messageId).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};
