import { hash } from 'node:crypto';

const keyOf = (...names: readonly string[]): string =>
  hash('sha256', names.join('\n'), 'base64url').slice(0, 32);

/**
 * The key that goes with every attempt to deliver one event by one pipeline: the same after a crash, a retry or
 * a redrive.
 *
 * @returns 32 characters, base64url of the first 24 bytes of a SHA-256.
 */
export const idempotencyKey = (connection: string, messageId: string, pipeline: string): string =>
  keyOf(connection, messageId, pipeline);

/**
 * As {@link idempotencyKey}, for one replay of the event: an application that knows the key of the first delivery does
 * not take the event of the replay for it.
 */
export const replayIdempotencyKey = (
  connection: string,
  messageId: string,
  pipeline: string,
  replay: string,
): string => keyOf(connection, messageId, pipeline, replay);
