/** Values of attributes: opaque ids of the configuration, names and numbers, never data of a user. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What is known of a span when it begins. */
export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** `traceparent` of the span that caused it, here or in another process; absent or not valid: it begins a trace. */
  readonly parent?: string | undefined;
  /** `traceparent`s of further spans that caused it; those that are not valid are left out. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

/** How a span has ended. */
export interface SpanEnd {
  /** Replaces its name. */
  readonly name?: string;
  /** In addition to those that it began with. */
  readonly attributes?: Attributes;
  /** The class of the failure, such as a code or an HTTP status; absent: it has not failed. */
  readonly error?: string;
}

/** A span that is under way and will be exported. */
export interface Span {
  /** For its children, in this process or another. */
  readonly traceparent: string;
  end(how?: SpanEnd): void;
}

/** Begins spans. Where telemetry is off there is none of it, so that nothing is done for spans. */
export interface Tracing {
  /** @returns undefined when the sampler leaves the span out: nothing need be done for it. */
  begin(name: string, start: SpanStart): Span | undefined;
}
