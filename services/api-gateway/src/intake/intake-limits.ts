/** How much one request may bring. Defaults: the specification of intake. */
export interface IntakeLimits {
  /** Of a body, after decompression. */
  readonly maxBodyBytes: number;
  /** Of one event's JSON text as received. */
  readonly maxEventBytes: number;
  readonly maxEvents: number;
  /** How deep a body may nest. */
  readonly maxDepth: number;
  /** Milliseconds that the log may take; an answer is out within 2 s. */
  readonly appendTimeoutMs: number;
}

export const INTAKE_LIMITS: IntakeLimits = {
  maxBodyBytes: 4_194_304,
  maxEventBytes: 32_768,
  maxEvents: 20_000,
  maxDepth: 32,
  appendTimeoutMs: 1_500,
};
