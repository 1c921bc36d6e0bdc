import { hash } from 'node:crypto';

/**
 * The key that goes with every attempt to deliver one event by one pipeline: the same after a crash, a retry or
 * a redrive.
 *
 * @returns 32 characters, base64url of the first 24 bytes of a SHA-256.
 */
export const idempotencyKey = (connection: string, messageId: string, pipeline: string): string =>
  hash('sha256', `${connection}\n${messageId}\n${pipeline}`, 'base64url').slice(0, 32);
