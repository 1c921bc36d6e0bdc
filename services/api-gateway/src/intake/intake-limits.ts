/** How much one request may bring, and all together. Defaults: the specification of intake. */
export interface IntakeLimits {
  /** Of a body, after decompression. */
  readonly maxBodyBytes: number;
  /** Of one event's JSON text as received. */
  readonly maxEventBytes: number;
  readonly maxEvents: number;
  /** How deep a body may nest. */
  readonly maxDepth: number;
  /** Of all bodies in flight of known senders, what is made of them included. */
  readonly maxTotalBytes: number;
  /** The same of senders whose key is not known before their body is read. */
  readonly maxKeylessBytes: number;
  /** Milliseconds for the whole of a body to come, where its sender is known before. */
  readonly bodyTimeoutMs: number;
  /** Milliseconds for the whole of a body to come that has to be read for its key. */
  readonly keylessBodyTimeoutMs: number;
  /** Milliseconds that the log may take; an answer is out within 2 s. */
  readonly appendTimeoutMs: number;
}

/**
 * Default totals. The longest body takes, with all that may be made of it, up to ten times its bytes: each of its events
 * gets the members of a normalised event, and the context that they share.
 */
export const totalsFor = (
  maxBodyBytes: number,
): Pick<IntakeLimits, 'maxTotalBytes' | 'maxKeylessBytes'> => ({
  maxTotalBytes: 16 * maxBodyBytes,
  maxKeylessBytes: 4 * maxBodyBytes,
});

const MAX_BODY_BYTES = 4_194_304;

export const INTAKE_LIMITS: IntakeLimits = {
  maxBodyBytes: MAX_BODY_BYTES,
  ...totalsFor(MAX_BODY_BYTES),
  maxEventBytes: 32_768,
  maxEvents: 20_000,
  maxDepth: 32,
  bodyTimeoutMs: 30_000,
  keylessBodyTimeoutMs: 10_000,
  appendTimeoutMs: 1_500,
};
