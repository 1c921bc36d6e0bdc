/** Limits for one request, and for all requests together. Defaults: the specification of intake. */
export interface IntakeLimits {
  /** Bytes of a body, after decompression. */
  readonly maxBodyBytes: number;
  /** Bytes of one event's JSON text as received. */
  readonly maxEventBytes: number;
  readonly maxEvents: number;
  /** Nesting depth of a body. */
  readonly maxDepth: number;
  /** Total bytes of the bodies of known senders in progress, including the events made of them. */
  readonly maxTotalBytes: number;
  /** The same for senders whose key is not known before their body is read. */
  readonly maxKeylessBytes: number;
  /** Time limit in milliseconds for the complete body of a known sender. */
  readonly bodyTimeoutMs: number;
  /** Time limit in milliseconds for a complete body that has to be read to find its key. */
  readonly keylessBodyTimeoutMs: number;
  /** Time limit in milliseconds for the append, so that an answer is sent within 2 s. */
  readonly appendTimeoutMs: number;
}

/**
 * Computes the default totals. With everything made of it, a body of maximal length takes up to ten times its bytes:
 * each event gets the members of a normalised event, and the context that they share.
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
