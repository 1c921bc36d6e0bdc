const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** The parts of a W3C `traceparent`. */
export interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** @returns undefined when the text is not a `traceparent` of version 00. */
export const parseTraceparent = (text: string | undefined): TraceContext | undefined => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined
    ? undefined
    : { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

/** Writes the `traceparent` of a sampled span. */
export const sampledTraceparent = (traceId: string, spanId: string): string =>
  `00-${traceId}-${spanId}-01`;
