import { createHash } from 'node:crypto';
import { BoundedCache } from '../../cache/bounded-cache';

/** Namespace for ISO object identifiers. Source: RFC 9562, 6.6. */
const NS_OID = Buffer.from('6ba7b8129dad11d180b400c04fd430c8', 'hex');

const REMEMBERED = 10_000;

/** Computes a UUID of version 5. Source: RFC 9562, 5.5. */
const uuid5 = (namespace: Buffer, name: string): Buffer => {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
};

const textOf = (uuid: Buffer): string =>
  uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Derives a constant anonymous id for a user without one, so that the user's events keep their order. */
export class DerivedIds {
  private readonly namespace: Buffer;
  private readonly known = new BoundedCache<string, string>(REMEMBERED);

  constructor(connection: string) {
    this.namespace = uuid5(NS_OID, connection);
  }

  of(userId: string): string {
    const known = this.known.get(userId);
    if (known !== undefined) return known;
    const derived = textOf(uuid5(this.namespace, userId));
    this.known.set(userId, derived);
    return derived;
  }
}
