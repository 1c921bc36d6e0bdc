import { createHash } from 'node:crypto';

/** The members of a recorded fact that its hash covers, besides the data. */
export interface Hashed {
  readonly position: number;
  /** The workspace or organization whose chain contains the fact. */
  readonly owner: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly time: string;
  readonly actor: string;
  readonly requestId: string;
  readonly causation: string;
}

/** Stands for the previous hash of the first fact of a chain. */
export const CHAIN_START = '0'.repeat(64);

/**
 * Computes the hash of a fact in the chain of its owner. Altering, removing or inserting a fact changes every later
 * hash.
 *
 * @param previous hash of the owner's previous fact, or {@link CHAIN_START}.
 * @param data JSON text, as it is stored; secrets in it are ciphertext.
 * @returns SHA-256 in lower-case hexadecimal digits of the UTF-8 text of a JSON array without white space: the previous
 *   hash, then position, owner, stream, version, type, schema version, time, actor, request id, causation and, as a
 *   string, the data.
 */
export const chainHash = (previous: string, fact: Hashed, data: string): string => {
  const { position, owner, stream, version, type, schemaVersion } = fact;
  const { time, actor, requestId, causation } = fact;
  const members = [previous, position, owner, stream, version, type, schemaVersion];
  const text = JSON.stringify([...members, time, actor, requestId, causation, data]);
  return createHash('sha256').update(text).digest('hex');
};
